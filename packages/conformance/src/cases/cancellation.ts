import { deepEqual, equal } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';

/** RFC-006 §5.4 rules 6 and 7: what a batch loses to while it is rendered. */
export const CANCELLATION: readonly ConformanceCase[] = [
  {
    id: '27a',
    title: 'a retraction during a render: nothing, and no inference if that was its only cause',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.notice('fallback', { initial: true });
      await scene.beginHeld(1);
      equal((await scene.retract('[gone]')).outcome, 'retracted');
      equal(await scene.release('late'), undefined);
      deepEqual(await scene.reads(), []);
    },
  },
  {
    id: '27b',
    title: 'a retraction during a render that then times out: no fallback either',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.notice('fallback', { initial: true });
      await scene.beginHeld(1);
      equal((await scene.retract('[gone]')).outcome, 'retracted');
      equal(await scene.join(), undefined);
      deepEqual(await scene.reads(), []);
    },
  },
  {
    id: '27c',
    title: 'a plain occurrence during a render takes its place',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.notice('fallback');
      await scene.beginHeld(1);
      equal((await scene.edit('plain')).outcome, 'replaced');
      deepEqual(await scene.release('late'), ['plain']);
      deepEqual(await scene.reads(), ['plain']);
    },
  },
  {
    id: '27d',
    title: 'a plain occurrence during a render that then times out: no fallback beside it',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.notice('fallback');
      await scene.beginHeld(1);
      equal((await scene.edit('plain')).outcome, 'replaced');
      deepEqual(await scene.join(), ['plain']);
    },
  },
  {
    id: '27e',
    title: 'a rendered occurrence is removed unread, and kept and corrected when it was read',
    needs: ['deferred'],
    run: async (stage) => {
      const unread = await stage.open();
      unread.renders({ mode: 'immediate', text: 'rendered' });
      await unread.notice('fallback');
      await unread.scenario.run({ op: 'materialize', agent: 'agent' });
      deepEqual(
        (await unread.context()).map(({ content }) => content),
        ['rendered'],
      );
      equal((await unread.retract('[gone]')).outcome, 'noted');
      deepEqual(await unread.reads(), ['[gone]']);

      const begun = await stage.open();
      begun.renders({ mode: 'immediate', text: 'rendered' });
      await begun.notice('fallback', { initial: true });
      await begun.scenario.run({ op: 'materialize', agent: 'agent' });
      equal((await begun.retract('[gone]')).outcome, 'retracted');
      deepEqual(await begun.reads(), []);

      const read = await stage.open();
      read.renders({ mode: 'immediate', text: 'rendered' });
      await read.notice('fallback', { initial: true });
      await read.reads();
      equal((await read.retract('[gone]')).outcome, 'noted');
      deepEqual(await read.reads(), ['rendered', '[gone]']);
    },
  },
  {
    id: '27f',
    title: 'a retraction takes the batch that is rendered and the one that waits',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.notice('fallback', { initial: true });
      await scene.beginHeld(1);
      await scene.notice('fallback two');
      equal((await scene.retract('[gone]')).outcome, 'retracted');
      equal(await scene.release('late'), undefined);
      deepEqual(await scene.reads(), []);
      equal(scene.rendered.length, 1);
    },
  },
  {
    id: '27g',
    title: 'a plain occurrence supersedes the batch that is rendered and the one that waits',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.notice('fallback');
      await scene.beginHeld(1);
      await scene.notice('fallback two');
      equal((await scene.edit('plain')).outcome, 'replaced');
      deepEqual(await scene.release('late'), ['plain']);
      deepEqual(await scene.reads(), ['plain']);
      equal(scene.rendered.length, 1);
    },
  },
  {
    id: '27h',
    title: 'so it does when the render times out: neither fallback',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.notice('fallback');
      await scene.beginHeld(1);
      await scene.notice('fallback two');
      await scene.edit('plain');
      deepEqual(await scene.join(), ['plain']);
      deepEqual(await scene.reads(), ['plain']);
      equal(scene.rendered.length, 1);
    },
  },
  {
    id: '27i',
    title: 'a notice displaces an unread plain occurrence, and follows one that was read',
    needs: ['deferred'],
    run: async (stage) => {
      const unread = await stage.open();
      unread.renders({ mode: 'immediate', text: 'rendered' });
      await unread.create('plain');
      equal((await unread.notice('fallback')).outcome, 'replaced');
      deepEqual(await unread.reads(), ['rendered']);

      const read = await stage.open();
      read.renders({ mode: 'immediate', text: 'rendered' });
      await read.create('plain');
      await read.reads();
      equal((await read.notice('fallback')).outcome, 'first');
      deepEqual(await read.reads(), ['plain', 'rendered']);
    },
  },
  {
    id: '27j',
    title: 'a notice after the plain occurrence that cancelled a render is new work',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.notice('fallback', { eventId: 'n1' });
      await scene.beginHeld(1);
      await scene.notice('fallback', { eventId: 'n2' });
      equal((await scene.edit('plain')).outcome, 'replaced');
      equal((await scene.notice('fallback three', { eventId: 'n3' })).outcome, 'replaced');
      equal(await scene.release('late'), undefined);
      scene.renders({ mode: 'immediate', text: 'rendered' });
      deepEqual(await scene.turn(), ['rendered']);
      deepEqual(scene.noticesOf(1), ['n3']);
    },
  },
];
