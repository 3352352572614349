import { writeFileSync } from 'node:fs';
import { CASES, type CaseResult, runCase } from '@mcpl-bridges/conformance';
import { PROFILES, type Profile, type ProfileName } from '@mcpl-bridges/host';
import { ConfigError } from '../config/config-error.js';
import { processDriver } from './process-driver.js';

export interface ConformanceOptions {
  readonly profile: ProfileName;
  /** Case numbers; empty for all. */
  readonly cases: readonly string[];
  /** A file for the results, as JSON. */
  readonly report: string | undefined;
}

const row = ({ id, title, verdict, ms }: CaseResult): string =>
  `${id.padEnd(5)}${verdict.padEnd(13)}${`${ms} ms`.padStart(9)}  ${title}`;

/** Runs the cases of RFC-006 against this host. Resolves to the exit code: 0 where every one of them has passed. */
export const runConformance = async ({ profile, cases, report }: ConformanceOptions): Promise<number> => {
  const stranger = cases.find((id) => !CASES.some((one) => one.id === id));
  if (stranger !== undefined)
    throw new ConfigError(
      `--case is ${stranger}; use numbers from ${CASES[0]?.id} to ${CASES.at(-1)?.id}, as in 2,20a`,
    );
  const chosen = CASES.filter(({ id }) => cases.length === 0 || cases.includes(id));
  const played: Profile = PROFILES[profile];
  const results: CaseResult[] = [];
  for (const one of chosen) {
    const result = await runCase(one, processDriver(profile), played.coalescing);
    results.push(result);
    process.stdout.write(`${row(result)}\n${result.verdict === 'pass' ? '' : `       ${result.why}\n`}`);
  }
  const count = (verdict: CaseResult['verdict']): number => results.filter((one) => one.verdict === verdict).length;
  const counts = { pass: count('pass'), fail: count('fail'), unexercised: count('unexercised') };
  process.stdout.write(
    `${counts.pass} pass, ${counts.fail} fail, ${counts.unexercised} unexercised of ${results.length} (${profile})\n`,
  );
  if (report !== undefined) writeFileSync(report, `${JSON.stringify({ profile, ...counts, results }, null, 2)}\n`);
  return counts.pass === results.length ? 0 : 1;
};
