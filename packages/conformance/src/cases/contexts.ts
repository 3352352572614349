import { deepEqual, equal } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';

/** RFC-006 §3.3 "Per context". */
export const CONTEXTS: readonly ConformanceCase[] = [
  {
    id: '46',
    title: 'where one context has read and another has not, each gets what it needs, and the report is cautious',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open({ agents: ['A', 'B'] });
      await scene.create('one');
      deepEqual(await scene.reads('A'), ['one']);
      equal((await scene.edit('two')).outcome, 'appended');
      deepEqual(await scene.reads('A'), ['one', 'two']);
      // A host with one boundary for all takes what A has read for read by B as well.
      const expected = stage.driver.consumption === 'per-context' ? ['two'] : ['one', 'two'];
      deepEqual(await scene.reads('B'), expected);
    },
  },
  {
    id: '49',
    title: 'a render that one context has read stays in the others, before what is rendered next',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open({ agents: ['A', 'B'] });
      scene.renders({ mode: 'immediate', text: 'first render' });
      await scene.notice('fallback one');
      deepEqual(await scene.reads('A'), ['first render']);
      scene.renders({ mode: 'immediate', text: 'second render' });
      await scene.notice('fallback two');
      deepEqual(await scene.reads('A'), ['first render', 'second render']);
      deepEqual(await scene.reads('B'), ['first render', 'second render']);
      equal(scene.rendered.length, 2);
    },
  },
];
