import { deepEqual, equal } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';

/** RFC-006 §3.1 and §3.2: which message, which subject, which occurrence, and whose. */
export const IDENTITY: readonly ConformanceCase[] = [
  {
    id: '8',
    title: 'the same message with a new occurrence is an edit; a repeated occurrence is a retry',
    needs: ['channelsIncoming'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      const first = await scene.message('one', { eventId: 'a' });
      equal((await scene.message('two', { eventId: 'b', initial: false })).outcome, 'replaced');
      deepEqual((await scene.message('one', { eventId: 'a' })).reply, first.reply);
      deepEqual(await scene.reads(), ['two']);
    },
  },
  {
    id: '9',
    title: 'servers, feature sets, channels and kinds of scope never cross',
    needs: ['pushEvents', 'channelScopedPush'],
    run: async (stage) => {
      const scene = await stage.open({ serverIds: ['editor', 'other'] });
      const places = [
        { server: 'editor', featureSet: 'doc' },
        { server: 'other', featureSet: 'doc' },
        { server: 'editor', featureSet: 'other' },
        { server: 'editor', channel: 'red' },
        { server: 'editor', channel: 'blue' },
        { server: 'other', channel: 'red' },
      ];
      for (const { server, channel } of places) if (channel !== undefined) await scene.register(channel, server);
      for (const [i, place] of places.entries()) equal((await scene.create(`${i}`, place)).outcome, 'first');
      equal((await scene.edit('edited', { server: 'editor', channel: 'blue' })).outcome, 'replaced');
      equal((await scene.retract('[gone]', { server: 'other' })).outcome, 'retracted');
      deepEqual([...(await scene.reads())].sort(), ['0', '2', '3', '5', 'edited']);
    },
  },
  {
    id: '35',
    title: 'a repeated occurrence has one effect and equal answers',
    needs: ['pushEvents', 'channelsIncoming'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      for (const send of [
        () => scene.create('pushed', { eventId: 'a' }),
        () => scene.message('sent', { eventId: 'b', key: 'L' }),
        () => scene.notice('fallback', { eventId: 'c', key: 'N' }),
      ]) {
        const first = await send();
        deepEqual((await send()).reply, first.reply);
      }
      scene.renders({ mode: 'immediate', text: 'rendered' });
      deepEqual(await scene.reads(), ['pushed', 'sent', 'rendered']);
      deepEqual(scene.noticesOf(0), ['c']);
    },
  },
  {
    id: '42',
    title: 'a label that is given to another endpoint touches nothing of the first',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one', { eventId: 'a' });
      await scene.scenario.reassign();
      equal((await scene.retract('[gone]')).outcome, 'noted');
      equal((await scene.create('two', { eventId: 'a', key: 'L' })).outcome, 'first');
      equal((await scene.edit('three')).outcome, 'appended');
      deepEqual(await scene.reads(), ['one', '[gone]', 'two', 'three']);
    },
  },
  {
    id: '45',
    title: 'a message stays the reply target when a push edits it, read or unread',
    needs: ['channelsIncoming', 'channelScopedPush'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      const targets = async () => (await scene.context()).map(({ metadata }) => metadata.messageId);
      await scene.message('one', { messageId: 'm7' });
      await scene.edit('two', { channel: 'chat' });
      deepEqual(await targets(), ['m7']);
      deepEqual(await scene.reads(), ['two']);
      await scene.edit('three', { channel: 'chat' });
      deepEqual(await targets(), ['m7', 'm7']);
    },
  },
];
