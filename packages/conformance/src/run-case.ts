import type { CoalescingLeaves } from '@mcpl-bridges/protocol';
import { type ConformanceCase, Stage } from './conformance-case.js';
import type { HostDriver } from './host-port.js';

/** How a case ended. One that the host does not offer the leaves for has shown nothing, and has not passed. */
export type CaseResult = { readonly id: string; readonly title: string; readonly ms: number } & (
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'fail'; readonly why: string }
  | { readonly verdict: 'unexercised'; readonly why: string }
);

/** Runs one case against a host that offers `leaves`; whatever it opened is closed again. */
export const runCase = async (
  { id, title, needs, run }: ConformanceCase,
  driver: HostDriver,
  leaves: CoalescingLeaves | undefined,
): Promise<CaseResult> => {
  const missing = needs.find((leaf) => leaves?.[leaf] !== true);
  if (missing) return { id, title, ms: 0, verdict: 'unexercised', why: `this host does not offer ${missing}` };
  const before = performance.now();
  const stage = new Stage(driver);
  const took = (): number => Math.round(performance.now() - before);
  try {
    await run(stage);
    return { id, title, ms: took(), verdict: 'pass' };
  } catch (error) {
    return { id, title, ms: took(), verdict: 'fail', why: (error as Error).message };
  } finally {
    await stage.close();
  }
};
