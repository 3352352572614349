import { describe, expect, it } from 'vitest';
import type { MessageOccurrence } from '../occurrence/occurrence.js';
import { backoffMs } from './backoff.js';
import { atLeast, pastDeadline } from './deadline.js';
import { judgeFailure, judgeResult, resultsFor } from './verdict.js';

const push = { method: 'push/event', coalesced: true, inChannelScope: true, body: '{}' } as const;
const incoming = { method: 'channels/incoming', coalesced: false, inChannelScope: false, body: '{}' } as const;
const message = (messageId: string) => ({ kind: 'message', messageId }) as MessageOccurrence;
const refused = (code: number) => judgeFailure({ kind: 'refused', error: { code, message: 'no' } }, push).kind;

describe('what follows from an answer', () => {
  it.each([
    [-32001, 'await-policy'],
    [-32002, 'await-policy'],
    [-32003, 'await-policy'],
    [-32017, 'register-again'],
    [-32023, 'register-again'],
    [-32601, 'bury'],
    [-32602, 'bury'],
    [-32603, 'retry'],
    [-32000, 'retry'],
  ])('error %i: %s', (code, kind) => {
    expect(refused(code)).toBe(kind);
  });

  it('the same of a message among others', () => {
    const result = (entry: object) => {
      const results = [{ messageId: 'other', accepted: true }, null, { messageId: 'm', ...entry }];
      const asked = [message('m'), message('other')];
      const [of, other] = resultsFor(asked, 'channels/incoming', { results });
      expect(judgeResult(other, incoming)).toEqual({ kind: 'delivered' });
      return judgeResult(of, incoming);
    };
    expect(result({ accepted: true })).toEqual({ kind: 'delivered' });
    expect(result({ accepted: false, reason: 'coalesce_invalid' })).toEqual({
      kind: 'bury',
      reason: 'refused: coalesce_invalid',
    });
    expect(result({ accepted: false, reason: 'unknown_channel' })).toEqual({ kind: 'register-again' });
    expect(result({ accepted: false, reason: 'capability_denied' })).toEqual({ kind: 'await-policy' });
  });

  it('takes a message of which nothing is said for uncertain', () => {
    const coalesced = { ...incoming, coalesced: true };
    const results = [{ messageId: 'other', accepted: true }];
    const [other, unsaid] = resultsFor([message('other'), message('m')], 'channels/incoming', { results });
    expect(judgeResult(other, coalesced)).toEqual({ kind: 'delivered' });
    expect(judgeResult(unsaid, coalesced)).toEqual({ kind: 'retry' });
    expect(judgeResult(unsaid, incoming)).toEqual({ kind: 'bury', reason: 'outcome_unknown' });
  });

  it('takes a duplicate for delivered, and an answer without results too', () => {
    expect(judgeResult({ accepted: false, reason: 'duplicate' }, push)).toEqual({ kind: 'delivered' });
    for (const asked of [[message('m')], [message('m'), message('n')]])
      for (const result of resultsFor(asked, 'channels/incoming', {}))
        expect(judgeResult(result, incoming)).toEqual({ kind: 'delivered' });
  });

  it('is the same for every outcome', () => {
    const outcomes = ['first', 'replaced', 'appended', 'retracted', 'noted', 'consumed', undefined];
    const verdicts = outcomes.map((outcome) => judgeResult({ accepted: true, coalesce: { outcome } }, push));
    expect(new Set(verdicts.map((verdict) => JSON.stringify(verdict))).size).toBe(1);
  });

  it('repeats what the host recognises, and never a message that it would show twice', () => {
    expect(judgeFailure({ kind: 'timeout', afterMs: 1 }, push)).toEqual({ kind: 'retry' });
    expect(judgeFailure({ kind: 'disconnected' }, { ...incoming, coalesced: true })).toEqual({ kind: 'retry' });
    expect(judgeFailure({ kind: 'disconnected' }, incoming)).toEqual({ kind: 'bury', reason: 'outcome_unknown' });
  });
});

describe('the retry deadline', () => {
  it('is the window less a margin, after the first attempt', () => {
    expect(pastDeadline({ elapsedMs: 0, windowMs: 3_600_000 })).toBeUndefined();
    expect(pastDeadline({ elapsedMs: 3_570_000, windowMs: 3_600_000 })).toBeUndefined();
    expect(pastDeadline({ elapsedMs: 3_570_001, windowMs: 3_600_000 })).toBe('expired');
  });
  it('is kept by the process, too, where the store has been set back', () => {
    expect(atLeast({ elapsedMs: 10, windowMs: 5 }, 20)).toEqual({ elapsedMs: 20, windowMs: 5 });
    expect(atLeast({ elapsedMs: 30, windowMs: 5 }, 20)).toEqual({ elapsedMs: 30, windowMs: 5 });
    expect(atLeast({ elapsedMs: 'unknown', windowMs: 5 }, 20)).toEqual({ elapsedMs: 'unknown', windowMs: 5 });
    expect(atLeast({ elapsedMs: -5, windowMs: 5 }, 20)).toEqual({ elapsedMs: -5, windowMs: 5 });
  });
  it('is past where the time cannot be bounded', () => {
    expect(pastDeadline({ elapsedMs: 'unknown', windowMs: 3_600_000 })).toBe('unbounded');
    expect(pastDeadline({ elapsedMs: -1, windowMs: 3_600_000 })).toBe('unbounded');
  });
});

it('backs off between nothing and a doubling bound', () => {
  const options = { baseMs: 100, maxMs: 1000 };
  expect([0, 1, 2, 3, 4, 50].map((attempt) => backoffMs(attempt, 0.999_999, options))).toEqual([
    99, 199, 399, 799, 999, 999,
  ]);
  expect(backoffMs(9, 0, options)).toBe(0);
});
