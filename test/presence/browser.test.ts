import { removeMember, setPresence, startTyping } from '@mcpl-bridges/sandbox';
import { chromium } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { openRoom } from '../helpers/scene.js';
import { openPresence, presencePath, SOON, tokenOf } from './support.js';

const { CHROMIUM } = process.env;

const openPage = async () => {
  const room = await openRoom();
  setPresence(room.sandbox.world, room.alice, 'online');
  const scene = await openPresence({ room, env: { MCPL_PRESENCE_REFS: 'raw' } });
  const channel = scene.way.channelId(room.general);
  await vi.waitFor(async () => expect((await scene.get(presencePath(channel), 'alice')).status).toBe(200), SOON);
  const isRoot = process.getuid?.() === 0;
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: isRoot ? ['--no-sandbox'] : [] });
  afterThisTest(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(scene.base);
  const ask = async (token: string): Promise<void> => {
    await page.getByLabel('Channel').fill(channel);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Show' }).click();
  };
  const shown = () => page.locator('#present li').allTextContents();
  const state = () => page.getByRole('status').textContent();
  return { ...scene, page, ask, shown, state, complaints, channel };
};

// Only where no browser was looked for: the test command finds one, or says that there is none.
describe.skipIf(!CHROMIUM)('the page, in a real browser', () => {
  it('shows who is here, live, to whoever has a token, by EventSource', async () => {
    const { sandbox, general, alice, bob, bot, guild, ask, shown, state, page, complaints } = await openPage();
    await ask(tokenOf('alice'));
    await vi.waitFor(async () => expect(await shown()).toEqual([`agent:${bot.user.id}`, `user:${alice.id}`]), SOON);
    expect(await state()).toBe('2 are here.');
    startTyping(sandbox.world, general, bob.id);
    await vi.waitFor(async () => expect(await shown()).toContain(`user:${bob.id}`), SOON);
    await page.locator('li.typing').waitFor();
    if (process.env.MCPL_SCREENSHOTS) await page.screenshot({ path: `${process.env.MCPL_SCREENSHOTS}/presence.png` });
    expect(await page.getByLabel('Token').inputValue()).toBe('');
    expect(complaints).toEqual([]);
    removeMember(sandbox.world, guild, alice);
    // The browser comes back of itself, and is told that it may not.
    await vi.waitFor(async () => expect(await state()).toBe('You may not see this channel.'), SOON);
    expect(await shown()).toEqual([]);
  });

  it('says so where a token is not known', async () => {
    const { ask, shown, state } = await openPage();
    await ask('no token');
    await vi.waitFor(async () => expect(await state()).toBe('This token is not known.'), SOON);
    expect(await shown()).toEqual([]);
  });
});
