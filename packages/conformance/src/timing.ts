import type { Scenario } from './scenario.js';

const event = (eventId: string, text: string, extra: Record<string, unknown>) => ({
  featureSet: 'doc',
  eventId,
  timestamp: '2026-01-01T00:00:00Z',
  payload: { content: [{ type: 'text', text }] },
  ...extra,
});

const now = (): number => performance.timeOrigin + performance.now();
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How late timers come on this machine right now, ms. */
const schedulerLag = async (): Promise<number> => {
  let worst = 0;
  for (let i = 0; i < 5; i++) {
    const before = now();
    await sleep(20);
    worst = Math.max(worst, now() - before - 20);
  }
  // What crosses a process border and a socket is later than a timer alone.
  return worst + 30;
};

const clock = async () => ({ schedulerLagMs: await schedulerLag(), resolutionMs: 1 });

/** One subject that changes faster than it is quiet, and what reached the model meanwhile. */
export const continuousReplacements = async (
  scenario: Scenario,
  { quietMs, intervalMs, count, boundMs }: { quietMs: number; intervalMs: number; count: number; boundMs: number },
): Promise<unknown> => {
  const from = scenario.observed.requests.length;
  const admissions = [];
  for (let i = 0; i < count; i++) {
    const content = `REVISION_${i}_`;
    const coalesce = { key: 'stream', ...(i === 0 ? { initial: true } : {}) };
    await scenario.send('push/event', event(`stream-${i}`, content, { coalesce, tags: ['doc:wake'] }));
    admissions.push({ content, decision: { timestamp: now() } });
    await sleep(intervalMs);
  }
  const trafficEndedAt = now();
  await sleep(quietMs + boundMs);
  await scenario.idle();
  return {
    kind: 'replacement-stream',
    policy: { kind: 'finite-bound', boundMs },
    clock: await clock(),
    sustained: { admissions, trafficEndedAt, requests: scenario.observed.requests.slice(from) },
  };
};

interface DebounceRun {
  readonly quietMs: number;
  readonly ordinaryAdmission: { readonly decisionAt: number };
  readonly gateEvents: readonly { readonly kind: string; readonly observedAt: number }[];
  readonly ordinaryWakeIndex: number;
  readonly boundWakeIndex: number;
}

interface DebouncePair {
  readonly kind: 'ordinary-debounce-pair';
  readonly clock: { readonly schedulerLagMs: number; readonly resolutionMs: number };
  readonly baseline: DebounceRun;
  readonly combined: DebounceRun;
}

/** An ordinary event's wake, alone and beside a subject that hits its bound meanwhile. */
export const unrelatedDebounce = async (
  scenario: Scenario,
  { ordinaryQuietMs, boundMs }: { ordinaryQuietMs: number; boundMs: number },
): Promise<DebouncePair> => {
  const run = async (name: string, withSubject: boolean): Promise<DebounceRun> => {
    const from = scenario.observed.wakes.length;
    const sendSubject = (i: number) =>
      scenario.send(
        'push/event',
        event(`${name}-s${i}`, `SUBJECT_${i}`, { coalesce: { key: name }, tags: ['doc:subject'] }),
      );
    // The subject is at its bound half-way through the ordinary event's quiet period.
    const lead = boundMs - ordinaryQuietMs / 2;
    const startedAt = now();
    for (let i = 0; withSubject && now() - startedAt < lead; i++) {
      await sendSubject(i);
      await sleep(20);
    }
    await scenario.send('push/event', event(`${name}-o`, 'ORDINARY', { tags: ['doc:ordinary'] }));
    const decisionAt = now();
    for (let i = 1000; withSubject && now() - decisionAt < ordinaryQuietMs * 0.7; i++) {
      await sendSubject(i);
      await sleep(20);
    }
    await sleep(ordinaryQuietMs + boundMs);
    await scenario.idle();
    const wakes = scenario.observed.wakes.slice(from);
    const isBound = (wake: (typeof wakes)[number]) => wake.causes.some(({ reason }) => reason === 'bound');
    return {
      quietMs: ordinaryQuietMs,
      ordinaryAdmission: { decisionAt },
      gateEvents: wakes.map((wake) => ({
        kind: isBound(wake) ? 'coalesced-postponement-bound' : 'wake',
        observedAt: wake.at,
      })),
      ordinaryWakeIndex: wakes.findIndex((wake) => wake.causes.some(({ cause }) => cause.startsWith('rule:'))),
      boundWakeIndex: wakes.findIndex((wake) => isBound(wake) && wake.at > decisionAt),
    };
  };
  const baseline = await run('alone', false);
  const combined = await run('beside', true);
  return { kind: 'ordinary-debounce-pair', clock: await clock(), baseline, combined };
};
