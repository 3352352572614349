import { deepEqual, equal } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';

/** RFC-006 §6: what nobody read is gone without a trace; what was read, or may have been, is corrected. */
export const RETRACTION: readonly ConformanceCase[] = [
  {
    id: '28',
    title: 'created, edited and deleted unread: nothing',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one');
      await scene.edit('two');
      equal((await scene.retract('[gone]')).outcome, 'retracted');
      equal(await scene.turn(), undefined);
      deepEqual(await scene.reads(), []);
    },
  },
  {
    id: '29',
    title: 'read, edited, deleted: what was read, then the notice, and no byte of the edit',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one');
      await scene.reads();
      equal((await scene.edit('two')).outcome, 'appended');
      equal((await scene.retract('[gone]')).outcome, 'noted');
      deepEqual(await scene.reads(), ['one', '[gone]']);
    },
  },
  {
    id: '30',
    title: 'read, then withdrawn without a notice: nothing is added',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one');
      await scene.reads();
      equal((await scene.retract()).outcome, 'consumed');
      deepEqual(await scene.reads(), ['one']);
    },
  },
  {
    id: '31',
    title: 'a host that lost its history gives the notice, read or not',
    needs: ['pushEvents'],
    run: async (stage) => {
      for (const wasRead of [true, false]) {
        const scene = await stage.open();
        await scene.create('one');
        if (wasRead) await scene.reads();
        await scene.scenario.restart({ kill: false, keepHistory: false });
        equal((await scene.retract('[gone]')).outcome, 'noted');
        equal((await scene.reads()).at(-1), '[gone]');
      }
    },
  },
  {
    id: '32',
    title: 'a subject that was never heard of may have been read: the notice is given',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      equal((await scene.retract('[gone]')).outcome, 'noted');
      deepEqual(await scene.reads(), ['[gone]']);
    },
  },
  {
    id: '33',
    title: 'in a channel, too, a read message is withdrawn silently where there is no notice',
    needs: ['channelsIncoming', 'channelScopedPush'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.register();
      await scene.message('one');
      await scene.reads();
      equal((await scene.retract('', { channel: 'chat' })).outcome, 'consumed');
      deepEqual(await scene.reads(), ['one']);
    },
  },
  {
    id: '34',
    title: 'a subject that was read keeps its history when it comes back; a deletion notice is no occupant',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one');
      await scene.reads();
      equal((await scene.retract('[gone]')).outcome, 'noted');
      equal((await scene.create('two')).outcome, 'appended');
      equal((await scene.retract('[gone again]')).outcome, 'noted');
      deepEqual(await scene.reads(), ['one', '[gone]', '[gone again]']);
    },
  },
  {
    id: '34a',
    title: 'after the history was lost a new subject that says so can still go without a trace',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('before', { key: 'old' });
      await scene.scenario.restart({ kill: false, keepHistory: false });
      await scene.create('one');
      await scene.edit('two');
      equal((await scene.retract('[gone]')).outcome, 'retracted');
      await scene.edit('one', { key: 'L' });
      equal((await scene.retract('[L gone]', { key: 'L' })).outcome, 'noted');
      deepEqual(await scene.reads(), ['[L gone]']);
    },
  },
  {
    id: '34b',
    title: 'initial lowers no history',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one');
      await scene.reads();
      equal((await scene.create('two')).outcome, 'appended');
      equal((await scene.retract('[gone]')).outcome, 'noted');
      deepEqual(await scene.reads(), ['one', '[gone]']);
    },
  },
  {
    id: '34c',
    title: 'at its limit of subjects the host appends, notes, and shows fallbacks; it never refuses',
    needs: ['pushEvents', 'deferred'],
    run: async (stage) => {
      const scene = await stage.open({ maxSubjects: 2 });
      for (const key of ['a', 'b']) equal((await scene.create(`fill ${key}`, { key })).outcome, 'first');
      const { capacity } = await scene.scenario.state();
      deepEqual([capacity.occupied, capacity.limit], [2, 2]);
      equal((await scene.create('beyond')).outcome, 'appended');
      equal((await scene.retract('[L gone]', { key: 'L' })).outcome, 'noted');
      equal((await scene.retract('', { key: 'L' })).outcome, 'consumed');
      equal((await scene.notice('fallback', { key: 'N' })).outcome, 'appended');
      equal((await scene.edit('refilled a', { key: 'a' })).outcome, 'replaced');
      deepEqual([...(await scene.reads())].sort(), ['[L gone]', 'beyond', 'fallback', 'fill b', 'refilled a']);
      equal(scene.rendered.length, 0);
    },
  },
];
