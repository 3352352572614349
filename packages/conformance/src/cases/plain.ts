import { deepEqual, equal } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';

/** RFC-006 §4: what is unread is replaced, what was read is followed. */
export const PLAIN: readonly ConformanceCase[] = [
  {
    id: '1',
    title: 'a subject that begins here is first, and in the next request',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      equal((await scene.create('one')).outcome, 'first');
      deepEqual(await scene.reads(), ['one']);
    },
  },
  {
    id: '1a',
    title: 'an untracked subject that does not say that it begins is appended',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      equal((await scene.edit('one')).outcome, 'appended');
      deepEqual(await scene.reads(), ['one']);
    },
  },
  {
    id: '2',
    title: 'what is unread is replaced, and no byte of it is left',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one', { eventId: 'a' });
      const { outcome, prior } = await scene.edit('two');
      deepEqual({ outcome, prior }, { outcome: 'replaced', prior: 'a' });
      deepEqual(await scene.reads(), ['two']);
    },
  },
  {
    id: '3',
    title: 'what was read stays as it was, and is followed',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one');
      await scene.reads();
      equal((await scene.edit('two')).outcome, 'appended');
      deepEqual(await scene.reads(), ['one', 'two']);
    },
  },
  {
    id: '4',
    title: 'a request that failed has read what it held',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one');
      await scene.scenario.run({ op: 'failNextModel' });
      deepEqual(await scene.turn(), ['one']);
      equal(scene.scenario.observed.modelFailures, 1);
      equal((await scene.edit('two')).outcome, 'appended');
      deepEqual(await scene.reads(), ['one', 'two']);
    },
  },
  {
    id: '5',
    title: 'a summary has read what it tells of',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one');
      await scene.scenario.run({ op: 'compress', agent: 'agent' });
      equal((await scene.edit('two')).outcome, 'appended');
      equal((await scene.reads()).at(-1), 'two');
    },
  },
  {
    id: '6',
    title: 'of a create and three edits one occurrence is left, the last',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('one');
      const outcomes = [];
      for (const text of ['two', 'three', 'four']) outcomes.push((await scene.edit(text)).outcome);
      deepEqual(outcomes, ['replaced', 'replaced', 'replaced']);
      deepEqual(await scene.reads(), ['four']);
    },
  },
  {
    id: '7',
    title: 'a host that makes unread work ordinary at a restart keeps it, and its receipts',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open({ sealed: true });
      const original = await scene.create('one', { eventId: 'a' });
      await scene.scenario.restart({ kill: false, keepHistory: true });
      equal((await scene.edit('two')).outcome, 'appended');
      deepEqual((await scene.create('one', { eventId: 'a' })).reply, original.reply);
      deepEqual(await scene.reads(), ['one', 'two']);
    },
  },
];
