import { deepEqual, equal } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';
import type { Scene } from '../scene.js';

const HOUR = 3_600_000;

/** What may break between an occurrence that was accepted and its request. */
const INTERRUPTIONS: readonly ((scene: Scene) => Promise<void>)[] = [
  async (scene) => {
    await scene.scenario.disconnect();
    await scene.scenario.reconnect();
  },
  (scene) => scene.scenario.restart({ kill: false, keepHistory: true }),
  (scene) => scene.scenario.restart({ kill: true, keepHistory: true }),
];

/** RFC-006 §3.1, §3.2: nothing that was accepted is lost or doubled, whatever breaks. */
export const DURABILITY: readonly ConformanceCase[] = [
  {
    id: '39',
    title: 'accepted, answer lost, reconnected, retried: the original receipt, the content once',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open({ losesFirstAnswerTo: 'push/event' });
      equal((await scene.create('one', { eventId: 'a' })).reply.lost, 'disconnected');
      await scene.scenario.reconnect();
      equal((await scene.edit('two')).outcome, 'replaced');
      equal((await scene.create('one', { eventId: 'a' })).outcome, 'first');
      deepEqual(await scene.reads(), ['two']);
    },
  },
  {
    id: '40',
    title: 'accepted work outlives connections and processes, and is never there twice',
    needs: ['pushEvents'],
    run: async (stage) => {
      for (const interrupt of INTERRUPTIONS) {
        const plain = await stage.open();
        await plain.create('one');
        await interrupt(plain);
        deepEqual(await plain.reads(), ['one']);

        const edited = await stage.open();
        await edited.create('one');
        await interrupt(edited);
        const { outcome } = await edited.edit('two');
        // Whether it stays replaceable is the host's choice; each choice has its request.
        deepEqual(await edited.reads(), outcome === 'replaced' ? ['two'] : ['one', 'two']);
        equal(outcome === 'replaced' || outcome === 'appended', true);
      }
    },
  },
  {
    id: '47',
    title: 'accepted, answer lost, host killed: the retry finds the original receipt',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open({ losesFirstAnswerTo: 'push/event' });
      await scene.create('one', { eventId: 'a' });
      await scene.scenario.reconnect();
      equal((await scene.edit('two')).outcome, 'replaced');
      await scene.scenario.restart({ kill: true, keepHistory: true });
      equal((await scene.create('one', { eventId: 'a' })).outcome, 'first');
      deepEqual(await scene.reads(), ['two']);
    },
  },
  {
    id: '48',
    title: 'a receipt keeps the window that was advertised at its admission',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.scenario.disconnect();
      await scene.scenario.reconnect(2 * HOUR);
      const original = await scene.create('one', { eventId: 'a' });
      await scene.scenario.disconnect();
      await scene.scenario.reconnect(HOUR);
      await scene.create('other', { eventId: 'b', key: 'L' });
      await scene.scenario.advanceClock(1.5 * HOUR);
      deepEqual((await scene.create('one', { eventId: 'a' })).reply, original.reply);
      await scene.scenario.restart({ kill: true, keepHistory: true });
      deepEqual((await scene.create('one', { eventId: 'a' })).reply, original.reply);
      deepEqual(await scene.reads(), ['one', 'other']);
    },
  },
];
