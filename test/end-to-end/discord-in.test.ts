import { openDm, pinMessage } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { eventIdOf, mcplId, openRoom, openScene, told } from '../helpers/scene.js';

const noticeOf = (id: string, name: string): string => `[message deleted] ${id} by ${name}`;

describe('what happens in a Discord channel', () => {
  it('is one message however often it is edited before anyone reads it', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, reports, reads } = scene;
    const message = sandbox.post(general, alice, 'one');
    const edits: string[] = [];
    for (const text of ['two', 'three', 'four']) {
      await reports.of(edits.at(-1) ?? eventIdOf.create(message));
      edits.push(eventIdOf.edit(sandbox.edit(general, message, text)));
    }
    await reports.of(edits.at(-1) ?? '');
    expect(told(scene, message)).toEqual([
      'channels/incoming first',
      'push/event replaced',
      'push/event replaced',
      'push/event replaced',
    ]);
    expect(new Set(edits).size).toBe(3);
    expect(await reads()).toEqual(['alice (edited): four']);
  });

  it('is no edit when a link unfurls, a message is pinned, or a thread starts from it', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, quiet, reads } = scene;
    const message = sandbox.post(general, alice, 'see https://example.org');
    sandbox.unfurl(general, message, { type: 'link', title: 'Example', url: 'https://example.org' });
    pinMessage(sandbox.world, general, message, true);
    sandbox.startThread(general, 'aside', alice, message);
    await quiet();
    expect(told(scene, message)).toEqual(['channels/incoming first']);
    expect(await reads()).toEqual(['alice: see https://example.org']);
  });

  it('is told once when it is deleted, though Discord may say so twice', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, reports, quiet, reads } = scene;
    const message = sandbox.post(general, alice, 'one');
    await reports.of(eventIdOf.create(message));
    await reads();
    sandbox.delete(general, message);
    await reports.of(eventIdOf.delete(message));
    sandbox.gateway.replayLast(1);
    await quiet();
    expect(told(scene, message)).toEqual(['channels/incoming first', 'push/event noted']);
    expect(await reads()).toEqual(['alice: one', noticeOf(message.id, 'alice')]);
  });

  it('loses many messages at once, each told of by its own notice', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, bob, reports, reads } = scene;
    const messages = [
      sandbox.post(general, alice, 'one'),
      sandbox.post(general, bob, 'two'),
      sandbox.post(general, alice, 'three'),
    ];
    for (const message of messages) await reports.of(eventIdOf.create(message));
    await reads();
    sandbox.bulkDelete(
      general,
      messages.map((message) => message.id),
    );
    for (const message of messages) await reports.of(eventIdOf.delete(message));
    expect((await reads()).slice(3)).toEqual(
      messages.map((message, i) => noticeOf(message.id, i === 1 ? 'bob' : 'alice')),
    );
  });

  it("leaves out the bot's own words, their edits and deletions", async () => {
    const scene = await openScene();
    const { sandbox, general, bot, quiet, reports, reads } = scene;
    const own = sandbox.post(general, bot.user, 'mine');
    sandbox.edit(general, own, 'still mine');
    sandbox.delete(general, own);
    await quiet();
    expect(reports.all.filter((report) => report.eventId.includes(own.id))).toEqual([]);
    expect(await reads()).toEqual([]);
  });

  it('names who replies to whom, and shows what is in a file', async () => {
    const { sandbox, general, alice, bob, reports, reads } = await openScene();
    const question = sandbox.post(general, alice, 'who?');
    const file = { name: 'a.txt', bytes: Buffer.from('abc'), contentType: 'text/plain' };
    const answer = sandbox.post(general, bob, 'me', { replyTo: question, files: [file] });
    await reports.of(eventIdOf.create(answer));
    expect((await reads())[1]).toBe(`bob (replying to alice "who?"): me\n[file a.txt]\n  abc`);
  });
});

describe('a closed channel', () => {
  it('is silent but for what addresses the agent, and follows that to its end', async () => {
    const scene = await openScene({ open: false });
    const { sandbox, general, alice, bot, reports, quiet, reads } = scene;
    const ambient = sandbox.post(general, alice, 'just talking');
    sandbox.edit(general, ambient, 'still talking');
    const mention = sandbox.post(general, alice, `<@${bot.user.id}> look`);
    await reports.of(eventIdOf.create(mention));
    sandbox.edit(general, mention, `<@${bot.user.id}> look here`);
    await reports.of(eventIdOf.edit(mention));
    sandbox.delete(general, ambient);
    await quiet();
    expect(told(scene, ambient)).toEqual([]);
    expect(told(scene, mention)).toEqual(['push/event first', 'push/event replaced']);
    expect(await reads()).toEqual(['alice (edited): @agent look here']);
  });

  it('speaks up when an edit brings the agent in', async () => {
    const scene = await openScene({ open: false });
    const { sandbox, general, alice, bot, reports, reads } = scene;
    const message = sandbox.post(general, alice, 'just talking');
    sandbox.edit(general, message, `<@${bot.user.id}> are you there?`);
    await reports.of(eventIdOf.edit(message));
    expect(told(scene, message)).toEqual(['push/event first']);
    expect(await reads()).toEqual(['alice (edited): @agent are you there?']);
  });
});

describe('threads and direct messages', () => {
  it('a thread is a channel of its own', async () => {
    const { sandbox, general, alice, session, host, reports, reads } = await openScene();
    const thread = sandbox.startThread(general, 'aside', alice);
    await vi.waitFor(() => expect(session.channels.has(mcplId(thread))).toBe(true), 10_000);
    expect(session.channels.all().find((one) => one.id === mcplId(thread))?.label).toBe('#general › aside (Home)');
    await session.openChannel(mcplId(thread));
    const message = sandbox.post(thread, alice, 'in here');
    const { channelId, outcome } = await reports.of(eventIdOf.create(message));
    expect([channelId, outcome]).toEqual([mcplId(thread), 'first']);
    expect(host.engine.unread('main')[0]?.tags).toContain('chat:thread');
    expect(await reads()).toEqual(['alice: in here']);
  });

  it('a direct message from a stranger registers its channel and lives like any other', async () => {
    const room = await openRoom();
    room.sandbox.world.sendsChannelType = false;
    const { sandbox, alice, bot, session, reports, host, reads } = await openScene({ room });
    const dm = openDm(sandbox.world, [alice, bot.user]);
    const message = sandbox.post(dm, alice, 'psst');
    expect((await reports.of(eventIdOf.create(message))).channelId).toBe(`discord:dm:${dm.id}`);
    expect(session.channels.all().find((one) => one.id === `discord:dm:${dm.id}`)?.label).toBe('DM: alice');
    expect(host.engine.unread('main')[0]?.tags).toEqual(
      expect.arrayContaining(['chat:dm', 'chat:addressed', 'chat:private']),
    );
    sandbox.edit(dm, message, 'pssst');
    await reports.of(eventIdOf.edit(message));
    expect(await reads()).toEqual(['alice (edited): pssst']);
    sandbox.delete(dm, message);
    await reports.of(eventIdOf.delete(message));
    expect((await reads()).at(-1)).toBe(noticeOf(message.id, 'alice'));
  });
});

describe('a gateway that comes and goes', () => {
  it('resumes with nothing lost and nothing doubled', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, reports, quiet, reads } = scene;
    const seen = sandbox.post(general, alice, 'seen');
    await reports.of(eventIdOf.create(seen));
    sandbox.gateway.cutSockets();
    const missed = sandbox.post(general, alice, 'missed');
    sandbox.edit(general, seen, 'seen, and edited');
    await reports.of(eventIdOf.edit(seen));
    sandbox.gateway.replayLast(3);
    await quiet();
    expect(told(scene, seen)).toEqual(['channels/incoming first', 'push/event replaced']);
    expect(told(scene, missed)).toEqual(['channels/incoming first']);
    expect(await reads()).toEqual(['alice (edited): seen, and edited', 'alice: missed']);
  });
});
