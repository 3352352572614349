import { deepEqual, equal, ok } from 'node:assert/strict';
import { ErrorCode } from '@mcpl-bridges/protocol';
import type { ConformanceCase } from '../conformance-case.js';

const WITHOUT_INCOMING = { capabilities: ['tools', 'pushEvents', 'channels.register'] };

/** RFC-006 §3.2, §13: one subject over both lanes, judged by what its server may do now. */
export const LANES: readonly ConformanceCase[] = [
  {
    id: '10',
    title: 'open channel: created by a message, edited and deleted by pushes; the model sees nothing',
    needs: ['channelsIncoming', 'channelScopedPush'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      await scene.scenario.channel('chat', true);
      await scene.message('one');
      equal((await scene.edit('two', { channel: 'chat' })).outcome, 'replaced');
      equal((await scene.retract('[gone]', { channel: 'chat' })).outcome, 'retracted');
      deepEqual(await scene.reads(), []);
    },
  },
  {
    id: '11',
    title: 'closed channel: created by a push, and edited by a message after it opened',
    needs: ['channelsIncoming', 'channelScopedPush'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      equal((await scene.create('one', { channel: 'chat' })).outcome, 'first');
      await scene.scenario.channel('chat', true);
      equal((await scene.message('two', { initial: false })).outcome, 'replaced');
      deepEqual(await scene.reads(), ['two']);
    },
  },
  {
    id: '12',
    title: 'a replacement reaches the contexts of what it replaces, and no other',
    needs: ['channelsIncoming', 'channelScopedPush'],
    run: async (stage) => {
      const scene = await stage.open({ agents: ['A', 'B'] });
      await scene.register();
      await scene.scenario.channel('chat', true);
      await scene.scenario.run({ op: 'audience', agents: ['A'] });
      await scene.message('one');
      await scene.scenario.channel('chat', false);
      await scene.scenario.run({ op: 'audience', agents: ['A', 'B'] });
      equal((await scene.edit('two', { channel: 'chat' })).outcome, 'replaced');
      deepEqual([await scene.reads('A'), await scene.reads('B')], [['two'], []]);
    },
  },
  {
    id: '13',
    title: 'without the grant for its channel a push neither replaces nor removes',
    needs: ['channelsIncoming', 'channelScopedPush'],
    run: async (stage) => {
      for (const narrowed of [WITHOUT_INCOMING, { channels: ['elsewhere'] }]) {
        const scene = await stage.open();
        await scene.register();
        await scene.message('one');
        await scene.scenario.setPolicy(narrowed);
        equal((await scene.edit('two', { channel: 'chat' })).refused, ErrorCode.ChannelNotPermitted);
        equal((await scene.retract('[gone]', { channel: 'chat' })).refused, ErrorCode.ChannelNotPermitted);
        deepEqual(await scene.reads(), ['one']);
      }
    },
  },
  {
    id: '14',
    title: 'origin names no scope',
    needs: ['pushEvents', 'channelScopedPush'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      await scene.create('in the channel', { channel: 'chat' });
      equal((await scene.create('in the set', { origin: { channelId: 'chat' } })).outcome, 'first');
      equal((await scene.retract('', { origin: { channelId: 'chat' } })).outcome, 'retracted');
      deepEqual(await scene.reads(), ['in the channel']);
    },
  },
  {
    id: '15',
    title: 'a channel scope is malformed where the host does not offer it',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open({ leaves: { channelScopedPush: false } });
      await scene.register();
      const { refused, reply } = await scene.create('one', { channel: 'chat' });
      equal(refused, ErrorCode.InvalidParams);
      equal((reply.error?.data as { field: string } | undefined)?.field, 'coalesce.channelId');
      deepEqual(await scene.reads(), []);
    },
  },
  {
    id: '15a',
    title: 'a coalesced message needs an occurrence of its own; its siblings do not suffer',
    needs: ['channelsIncoming'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      await scene.message('one');
      const { eventId: _none, ...without } = scene.messageParams('no id', { initial: false });
      const answers = await scene.messages([
        without,
        scene.messageParams('empty id', { initial: false, eventId: '' }),
        scene.messageParams('sibling', { messageId: 'm2', key: 'L' }),
      ]);
      deepEqual(
        answers.map(({ refused, outcome }) => refused ?? outcome),
        ['coalesce_invalid', 'coalesce_invalid', 'first'],
      );
      equal((await scene.message('two', { initial: false })).outcome, 'replaced');
      deepEqual(await scene.reads(), ['two', 'sibling']);
    },
  },
  {
    id: '38',
    title: 'a key of 257 bytes is malformed; in a batch only the malformed message is refused',
    needs: ['pushEvents', 'channelsIncoming'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      equal((await scene.create('long', { key: 'é'.repeat(128) })).outcome, 'first');
      equal((await scene.create('too long', { key: `${'é'.repeat(128)}k` })).refused, ErrorCode.InvalidParams);
      const [a, b, c] = ['a', 'b', 'c'].map((text) => scene.messageParams(text, { messageId: text, key: text }));
      ok(a && b && c);
      const deferred = { ...b, coalesce: { key: 'b', deferred: true } };
      const answers = await scene.messages([a, deferred, c]);
      deepEqual(
        answers.map(({ refused }) => refused ?? 'ok'),
        ['ok', 'coalesce_invalid', 'ok'],
      );
      deepEqual(await scene.reads(), ['long', 'a', 'c']);
    },
  },
  {
    id: '41',
    title: 'ordinary messages come as before, also after a reconnect',
    needs: [],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      await scene.scenario.disconnect();
      await scene.scenario.reconnect();
      const { refused, outcome } = await scene.message('hello', { key: null });
      deepEqual({ refused, outcome }, { refused: undefined, outcome: undefined });
      deepEqual(await scene.reads(), ['hello']);
    },
  },
];
