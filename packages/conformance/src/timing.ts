import type { Scenario } from './scenario.js';

const event = (eventId: string, text: string, extra: Record<string, unknown>) => ({
  featureSet: 'doc',
  eventId,
  timestamp: '2026-01-01T00:00:00Z',
  payload: { content: [{ type: 'text', text }] },
  ...extra,
});

interface Clock {
  readonly schedulerLagMs: number;
  readonly resolutionMs: number;
}

const now = (): number => performance.timeOrigin + performance.now();
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What crosses a process border and a socket is later than a timer alone, ms. */
const BORDER_MS = 30;

/** Runs `work`, and says how late a timer came on this machine at worst meanwhile. */
const metered = async <T>(work: () => Promise<T>): Promise<{ result: T; clock: Clock }> => {
  let worst = 0;
  let isOver = false;
  const meter = (async () => {
    while (!isOver) {
      const before = now();
      await sleep(5);
      worst = Math.max(worst, now() - before - 5);
    }
  })();
  try {
    const result = await work();
    return { result, clock: { schedulerLagMs: worst + BORDER_MS, resolutionMs: 1 } };
  } finally {
    isOver = true;
    await meter;
  }
};

/** One subject that changes faster than it is quiet, and what reached the model meanwhile. */
export const continuousReplacements = async (
  scenario: Scenario,
  { quietMs, intervalMs, count, boundMs }: { quietMs: number; intervalMs: number; count: number; boundMs: number },
): Promise<unknown> => {
  const from = scenario.observed.requests.length;
  const { result, clock } = await metered(async () => {
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
    return { admissions, trafficEndedAt };
  });
  return {
    kind: 'replacement-stream',
    policy: { kind: 'finite-bound', boundMs },
    clock,
    sustained: { ...result, requests: scenario.observed.requests.slice(from) },
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
  readonly clock: Clock;
  readonly baseline: DebounceRun;
  readonly combined: DebounceRun;
}

/** A machine whose timers came later than this is asked again, and its calmest measurement counts. */
const CALM_MS = BORDER_MS + 15;
const ATTEMPTS = 3;

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
  const pair = async (attempt: number): Promise<DebouncePair> => {
    const { result, clock } = await metered(async () => ({
      baseline: await run(`alone-${attempt}`, false),
      combined: await run(`beside-${attempt}`, true),
    }));
    return { kind: 'ordinary-debounce-pair', clock, ...result };
  };
  let calmest = await pair(1);
  for (let attempt = 2; attempt <= ATTEMPTS && calmest.clock.schedulerLagMs > CALM_MS; attempt++) {
    const next = await pair(attempt);
    if (next.clock.schedulerLagMs < calmest.clock.schedulerLagMs) calmest = next;
  }
  return calmest;
};
