import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { channelsPublishResult } from '@mcpl-bridges/protocol';
import { describe, expect, it, vi } from 'vitest';
import { callTool } from '../helpers/call-tool.js';
import { openScene } from '../helpers/scene.js';
import { comesBack, open, standing } from './support.js';

describe("the persona's own words", () => {
  it('do not come back, though Discord is faster than the relay; those of a namesake do', async () => {
    const scene = await open();
    const { general, way, host } = scene;
    const namesake = way.relay.state.personas.create('agent');
    way.relay.state.echoesFirst = true;
    await host.publish(way.channelId(general), 'mine');
    way.relay.state.echoesFirst = true;
    way.relay.say(namesake, general, 'not yours');
    await scene.quiet();
    expect(await scene.reads()).toEqual(['agent: not yours']);
    await comesBack(scene, () => way.relay.restart());
    await scene.quiet();
    expect(await scene.reads()).toEqual(['agent: not yours']);
  });

  it('are posted once, though the answer to the first attempt was lost', async () => {
    const scene = await open();
    const { general, way, host } = scene;
    way.relay.failNextCall('loses-answer');
    expect(await host.publish(way.channelId(general), 'once')).toMatchObject({ kind: 'delivered' });
    expect(standing(scene, general)).toEqual(['once']);
    await scene.quiet();
    expect(await scene.reads()).toEqual([]);
  });

  it('are announced by typing, and carry what is no text as files', async () => {
    const scene = await open();
    const { sandbox, general, way, session } = scene;
    const typed = new Promise((resolve) => sandbox.world.once('dispatch', ({ t }) => resolve(t)));
    session.outgoing.typing(way.channelId(general), 'start');
    expect(await typed).toBe('TYPING_START');
    const image = { type: 'image' as const, data: Buffer.from('png').toString('base64'), mimeType: 'image/png' };
    const content = [{ type: 'text' as const, text: 'look' }, image];
    const params = { channelId: way.channelId(general), content };
    const published = await session.mcp.request({ method: 'channels/publish', params }, channelsPublishResult);
    expect(published.delivered).toBe(true);
    expect(sandbox.history(general)[0]).toMatchObject({ content: 'look', attachments: [{ filename: 'image-1.png' }] });
  });

  it('and those of others are in no log, nor is the token', async () => {
    const scene = await open({ MCPL_LOG_LEVEL: 'debug' });
    const { sandbox, general, alice, way, host } = scene;
    sandbox.post(general, alice, 'between you and me');
    await host.publish(way.channelId(general), 'my lips are sealed');
    way.relay.failNextCall({ code: 50035, message: 'Invalid Form Body' }, 'send_message');
    await host.publish(way.channelId(general), 'a word that is refused');
    await scene.quiet();
    expect(scene.stderr()).toContain('"level":20');
    for (const secret of ['between you', 'sealed', 'refused', 'marker', way.persona.token])
      expect(scene.stderr()).not.toContain(secret);
  });

  it('answer somebody and mention others, in parts that all fit', async () => {
    const scene = await open();
    const { sandbox, general, alice, way } = scene;
    const [ada, eve] = ['Ada', 'Eve'].map((name) => way.relay.state.personas.create(name));
    const question = sandbox.post(general, alice, 'why?');
    await scene.quiet();
    const content = 'because '.repeat(238).trim();
    const answer = await callTool(scene, 'reply_message', {
      messageId: way.messageId(question),
      content,
      mentionPersonaIds: [ada?.id, eve?.id],
    });
    expect(answer).toMatchObject({ isError: false });
    const parts = standing(scene, general).slice(1);
    expect(parts).toHaveLength(2);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(2000);
    expect(parts[0]).toMatch(/^> ↪ https:\/\/\S+\n<@&\d+> <@&\d+> because/);
    expect(parts.join(' ').split('because')).toHaveLength(239);
  });

  it('of which a part is refused are reported as far as they went', async () => {
    const scene = await open();
    const { sandbox, general, way, host } = scene;
    way.relay.failNextCall({ code: 50013, message: 'Missing Permissions' }, 'send_message', 1);
    const result = await host.publish(way.channelId(general), `${'a'.repeat(1500)}\n${'b'.repeat(1500)}`);
    const [posted] = sandbox.history(general).map((message) => way.messageId(message));
    expect(result).toEqual({
      kind: 'refused',
      reason: `only 1 of 2 parts were posted (${posted}): the bot may not do that here; someone must grant it the permission (Discord 50013)`,
    });
  });

  it('that a SIGKILL cut in two are finished, not repeated, when the host asks for them again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'store-'));
    const env = { MCPL_STORE: `lmdb:${folder}` };
    const first = await open(env);
    const { general, way, host } = first;
    const text = `${'a'.repeat(1990)}\n${'b'.repeat(1000)}`;
    way.relay.failNextCall('loses-answer', 'send_message', 1);
    // Its way back is cut off, too.
    const lengths = () => standing(first, general).map(({ length }) => length);
    void host.publish(way.channelId(general), text);
    await vi.waitFor(() => expect(lengths()).toEqual([1990, 1000]), { interval: 1, timeout: 10_000 });
    first.bridge.kill('SIGKILL');
    await first.bridge.exited;
    const second = await openScene({ room: first, way, env, host });
    expect(await second.host.publish(way.channelId(general), text)).toMatchObject({ kind: 'delivered' });
    expect(lengths()).toEqual([1990, 1000]);
  });

  it('are edited, marked and taken back by their ids', async () => {
    const scene = await open();
    const { general, way } = scene;
    const { data } = await callTool(scene, 'send_message', { channelId: '#general', content: 'one' });
    const [messageId] = (data as { messageIds: string[] }).messageIds;
    await callTool(scene, 'edit_message', { messageId, content: 'two' });
    expect(standing(scene, general)).toEqual(['two']);
    await callTool(scene, 'react', { messageId, emoji: '👍', visible: true });
    expect(standing(scene, general)).toEqual(['two', '↳ 👍']);
    await callTool(scene, 'delete_message', { messageId });
    expect(standing(scene, general)).toEqual(['↳ 👍']);
    const stranger = scene.sandbox.post(general, scene.alice, 'hers');
    await scene.quiet();
    expect(await callTool(scene, 'delete_message', { messageId: way.messageId(stranger) })).toMatchObject({
      isError: true,
      text: expect.stringContaining('the relay does not let this persona do that'),
    });
  });

  it('carry files, within what a message holds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'files-'));
    writeFileSync(join(folder, 'a.txt'), 'abc');
    writeFileSync(join(folder, 'big.bin'), Buffer.alloc(9 * 1_048_576));
    const scene = await open({ PORTAL_FILES_ROOT: folder });
    const send = (file: string) =>
      callTool(scene, 'send_message', { channelId: '#general', content: 'see', files: [file] });
    expect(await send('a.txt')).toMatchObject({ isError: false });
    expect(scene.sandbox.history(scene.general)[0]?.attachments).toMatchObject([{ filename: 'a.txt', size: 3 }]);
    expect(await send('big.bin')).toMatchObject({
      isError: true,
      text: expect.stringContaining('a message holds 8388608'),
    });
  });
});
