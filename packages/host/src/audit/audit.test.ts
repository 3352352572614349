import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type AuditEntry, AuditFile, Host } from '../index.js';
import { connect, text } from '../synthetic-server.testkit.js';

const audited = async (timeoutMs = 5000) => {
  const entries: AuditEntry[] = [];
  const host = new Host({ audit: { write: (_at, _binding, entry) => entries.push(entry) }, renders: { timeoutMs } });
  return { entries, ...(await connect({ host })) };
};

it('37: tells what was displaced, folded, withdrawn and discarded, each by its id, and nothing that was read', async () => {
  const { entries, push, notice, reads, renders } = await audited();
  await push('one', { eventId: 'e1', coalesce: { key: 'P', initial: true } });
  await push('two', { eventId: 'e2', coalesce: { key: 'P' } });
  await reads();
  await push('three', { eventId: 'e3', coalesce: { key: 'P' } });
  await push('[gone]', { eventId: 'e4', coalesce: { key: 'P', retract: true } });
  await push('fallback', { eventId: 'n1', coalesce: { key: 'N', deferred: true } });
  await push('fallback', { eventId: 'n2', coalesce: { key: 'N', deferred: true } });
  const turn = reads();
  await renders.whenAsked(1);
  await push('plain', { eventId: 'e5', coalesce: { key: 'N' } });
  renders.release(text('late'));
  await turn;
  await notice('ignored', { key: 'other' });
  expect(entries).toEqual([
    { what: 'displaced', eventId: 'e1', by: 'e2' },
    { what: 'withdrawn', eventId: 'e3', by: 'e4' },
    { what: 'folded', eventId: 'n2', into: 'n1' },
    { what: 'displaced', eventId: 'n1', by: 'e5' },
    { what: 'displaced', eventId: 'n2', by: 'e5' },
    { what: 'discarded', eventId: 'n2', why: 'cancelled' },
  ]);
});

it('is a file of JSON lines that makes way for a new one', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'audit-')), 'audit.jsonl');
  const file = new AuditFile({ path, maxBytes: 250, keep: 2 });
  for (let i = 0; i < 9; i++) file.write(0, 'b', { what: 'displaced', eventId: `e${i}`, by: 'x' });
  const lines = (suffix: string) =>
    readFileSync(path + suffix, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).eventId);
  // Two lines fit, a third does not.
  expect(['.2', '.1', ''].map(lines)).toEqual([['e4', 'e5'], ['e6', 'e7'], ['e8']]);
  expect(JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '')).toMatchObject({
    at: '1970-01-01T00:00:00.000Z',
    binding: 'b',
    what: 'displaced',
  });
  expect(existsSync(`${path}.3`)).toBe(false);
});
