import { setOverwrite } from '@mcpl-bridges/sandbox';
import { describe, expect, it } from 'vitest';
import { mcplId, openRoom, openScene, type Scene } from '../helpers/scene.js';

const said = ({ sandbox, general, bot }: Scene): string[] =>
  sandbox
    .history(general)
    .filter((message) => message.author.id === bot.user.id)
    .map((message) => message.content);

const call = async ({ session }: Scene, args: Record<string, unknown>) => {
  const { content, isError } = await session.mcp.callTool({ name: 'send_message', arguments: args });
  return { text: (content as { text: string }[])[0]?.text ?? '', isError: isError === true };
};

describe('what the agent says', () => {
  it('is published to the channel, and its message id returned', async () => {
    const scene = await openScene();
    const result = await scene.host.publish(mcplId(scene.general), 'hello');
    expect(said(scene)).toEqual(['hello']);
    expect(result).toMatchObject({ kind: 'delivered', messageId: scene.sandbox.history(scene.general)[0]?.id });
  });

  it('is split at 2,000 characters without breaking a code fence', async () => {
    const scene = await openScene();
    const code = [
      'Here:',
      '```ts',
      ...Array.from({ length: 120 }, (_, i) => `  const line${i} = 'some text to fill it';`),
      '```',
      'done 😀',
    ].join('\n');
    expect(await scene.host.publish(mcplId(scene.general), code)).toMatchObject({ kind: 'delivered' });
    const parts = said(scene);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(2000);
      expect((part.split('```').length - 1) % 2).toBe(0);
    }
    expect(parts.join('\n').replaceAll('\n```\n```ts\n', '\n')).toBe(code);
  });

  it('pings nobody but the people it names', async () => {
    const scene = await openScene();
    await scene.host.publish(mcplId(scene.general), `@everyone <@${scene.alice.id}>`);
    const [message] = scene.sandbox.history(scene.general);
    expect(message?.mention_everyone).toBe(false);
    expect(message?.mentions.map((user) => user.id)).toEqual([scene.alice.id]);
  });

  it('is posted once, though the answer to the first attempt was lost', async () => {
    const scene = await openScene();
    scene.sandbox.faults.plan({ method: 'POST', path: /messages$/, fault: { kind: 'status', status: 502 } });
    scene.sandbox.faults.plan({ method: 'POST', path: /messages$/, fault: { kind: 'rate-limit', retryAfter: 0.05 } });
    expect(await scene.host.publish(mcplId(scene.general), 'once')).toMatchObject({ kind: 'delivered' });
    expect(said(scene)).toEqual(['once']);
  });

  it('is refused with a reason the agent can act on', async () => {
    const room = await openRoom();
    const scene = await openScene({ room });
    setOverwrite(room.sandbox.world, room.general, { id: room.bot.user.id, type: 1 }, { deny: ['SendMessages'] });
    const result = await scene.host.publish(mcplId(room.general), 'hello');
    expect(result).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('someone must grant it the permission'),
    });
  });

  it('goes nowhere near a thread of a channel that posts at its root', async () => {
    const scene = await openScene();
    const params = { channelId: mcplId(scene.general), threadId: '1', content: 'x' };
    expect(await scene.session.request('channels/publish', params)).toMatchObject({
      delivered: false,
      reason: expect.stringContaining('threadId'),
    });
    expect(await scene.session.request('channels/publish', { ...params, threadId: null })).toMatchObject({
      delivered: true,
      threadId: null,
    });
  });
});

describe('the send_message tool', () => {
  it('is listed with its class and its hints', async () => {
    const scene = await openScene();
    const { tools } = await scene.session.mcp.listTools();
    expect(tools.find((tool) => tool.name === 'send_message')).toMatchObject({
      _meta: { 'mcpl/class': ['comms'] },
      annotations: { readOnlyHint: false, destructiveHint: false },
      inputSchema: { type: 'object', required: ['channelId', 'content'] },
    });
  });

  it("posts, by the channel's MCPL id or by Discord's own, as a reply where asked", async () => {
    const scene = await openScene();
    const question = scene.sandbox.post(scene.general, scene.alice, 'well?');
    expect(await call(scene, { channelId: mcplId(scene.general), content: 'one', replyTo: question.id })).toMatchObject(
      { isError: false },
    );
    expect(await call(scene, { channelId: scene.general.id, content: 'two' })).toEqual({
      text: expect.stringMatching(/^posted as \d+$/),
      isError: false,
    });
    expect(said(scene)).toEqual(['one', 'two']);
    expect(scene.sandbox.history(scene.general)[1]?.message_reference).toMatchObject({ message_id: question.id });
  });

  it('explains what is wrong with its arguments, and what Discord refuses', async () => {
    const scene = await openScene();
    expect(await call(scene, { channelId: 'nowhere', content: 'x' })).toEqual({
      text: 'there is no channel nowhere here; use an id from the channel list (list_channels)',
      isError: true,
    });
    expect(await call(scene, { channelId: scene.general.id })).toEqual({
      text: expect.stringMatching(/^content: /),
      isError: true,
    });
    expect(await call(scene, { channelId: scene.general.id, content: ' ' })).toEqual({
      text: expect.stringContaining('not posted'),
      isError: true,
    });
    expect(said(scene)).toEqual([]);
  });
});

it('typing and noticing reach Discord', async () => {
  const scene = await openScene();
  const typed = new Promise((resolve) => scene.sandbox.world.once('dispatch', ({ t }) => resolve(t)));
  scene.session.outgoing.typing(mcplId(scene.general), 'start');
  expect(await typed).toBe('TYPING_START');
  const message = scene.sandbox.post(scene.general, scene.alice, 'hello');
  expect(await scene.session.outgoing.acknowledge(mcplId(scene.general), message.id)).toEqual({
    acknowledged: true,
    representation: '👀',
  });
  expect(scene.sandbox.world.reactions.get(message.id)?.[0]?.users.has(scene.bot.user.id)).toBe(true);
});
