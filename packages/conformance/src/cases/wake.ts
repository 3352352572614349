import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';
import { type Scene, until } from '../scene.js';
import { unrelatedDebounce } from '../timing.js';

const WAKES = { tag: 'doc:wake', quietMs: 150, boundMs: 300 };
const QUIET_MS = 200;

/** What a timer, a process border and a busy machine may add, ms. */
const SLACK_MS = 700;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const tags = [WAKES.tag];
const QUIET = ['doc:quiet'];

/** Waits until every wake that could still come has come. */
const settled = async (scene: Scene): Promise<void> => {
  await sleep(WAKES.boundMs + 50);
  await scene.scenario.idle();
};

/** RFC-006 §4.2. Real time: a host's timers are what is looked at. */
export const WAKE: readonly ConformanceCase[] = [
  {
    id: '36',
    title: 'a subject that never rests reaches a request within the stated bound, as it is then',
    needs: ['pushEvents'],
    run: async (stage) => {
      const scene = await stage.open({ wake: [WAKES] });
      const admitted: number[] = [];
      for (let i = 0; i < 30; i++) {
        await scene.edit(`revision ${i}.`, { tags });
        admitted.push(Date.now());
        await sleep(40);
      }
      const lastAt = admitted.at(-1) ?? 0;
      const [first] = scene.scenario.observed.requests;
      ok(first && first.observedAt < lastAt, 'no request came while the subject was changing');
      const waited = first.observedAt - (admitted[0] ?? 0);
      ok(waited <= WAKES.boundMs + SLACK_MS, `the first request came after ${Math.round(waited)} ms`);
      const texts = first.messages.map(({ content }) => content);
      equal(texts.length, 1);
      const shown = Number(/\d+/.exec(texts[0] ?? '')?.[0]);
      const current = admitted.filter((at) => at < first.assemblyStartedAt).length - 1;
      ok(shown >= current - 1, `revision ${shown} was shown when ${current} was there`);
    },
  },
  {
    id: '43',
    title:
      'a cause that no longer qualifies, or was taken back, starts nothing; one that begins to qualifies starts one',
    needs: ['pushEvents'],
    run: async (stage) => {
      const replaced = await stage.open({ wake: [WAKES] });
      await replaced.create('wakes', { tags });
      await replaced.edit('does not', { tags: QUIET });
      await settled(replaced);
      deepEqual(replaced.requests(), []);

      const retracted = await stage.open({ wake: [WAKES] });
      await retracted.create('wakes', { tags });
      await retracted.retract('[gone]', { tags });
      await settled(retracted);
      deepEqual(retracted.requests(), []);

      const promoted = await stage.open({ wake: [WAKES] });
      await promoted.create('does not', { tags: QUIET });
      await promoted.edit('wakes', { tags });
      await until(() => promoted.requests().length > 0, 'the wake');
      await settled(promoted);
      deepEqual(promoted.requests(), [['wakes']]);
    },
  },
  {
    id: '44',
    title: "a subject at its bound moves no unrelated event's quiet period",
    needs: ['pushEvents'],
    run: async (stage) => {
      const subject = { tag: 'doc:subject', quietMs: 150, boundMs: 300 };
      const wake = [{ tag: 'doc:ordinary', quietMs: QUIET_MS, boundMs: 10_000 }, subject];
      const scene = await stage.open({ wake });
      const { baseline, combined } = await unrelatedDebounce(scene.scenario, {
        ordinaryQuietMs: QUIET_MS,
        boundMs: subject.boundMs,
      });
      const [alone, beside] = [baseline, combined].map(({ gateEvents, ordinaryWakeIndex, ordinaryAdmission }) => {
        const wakes = gateEvents[ordinaryWakeIndex];
        ok(wakes, 'the ordinary event never woke the agent');
        return wakes.observedAt - ordinaryAdmission.decisionAt;
      });
      ok(combined.boundWakeIndex >= 0, 'the subject never reached its bound');
      ok(alone !== undefined && beside !== undefined);
      const moved = Math.round(beside - alone);
      ok(Math.abs(moved) < QUIET_MS / 2, `the ordinary event woke the agent ${moved} ms off its time`);
    },
  },
];
