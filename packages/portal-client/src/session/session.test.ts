import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ready, ServerFrame } from '../wire/frames.js';
import {
  beginning,
  type Effect,
  type Input,
  type Login,
  type SessionPoint,
  type SessionState,
  step,
} from './session.js';

const CREDENTIALS: Login = { kind: 'credentials', credentials: { personaId: 'p', token: 't' } };
const INVITE: Login = { kind: 'invite', invite: 'code', desiredName: 'Ada' };

const HELLO: ServerFrame = { op: 'hello', d: { heartbeatIntervalMs: 30_000 } };
const ready = (seq: number): ServerFrame => ({
  op: 'ready',
  d: { sessionId: 's', persona: { id: 'p' }, guilds: [], channels: [], seq } as unknown as Ready,
});
const invalid = (resumable: boolean): ServerFrame => ({ op: 'invalid_session', d: { resumable, reason: 'gone' } });

const play = (login: Login, inputs: readonly (Input | ServerFrame)[], session?: SessionPoint) => {
  let state: SessionState = beginning(login, session);
  const effects: Effect[] = [];
  for (const one of inputs) {
    const input: Input = 'op' in one ? { kind: 'frame', frame: one } : one;
    const [next, done] = step(state, input, ['c']);
    state = next;
    effects.push(...done);
  }
  const sent = effects.flatMap((effect) => (effect.kind === 'send' ? [effect.frame] : []));
  return { state, effects, sent: sent.filter(({ op }) => op !== 'heartbeat'), kinds: effects.map(({ kind }) => kind) };
};

const OPEN: Input[] = [{ kind: 'start' }, { kind: 'opened' }];

describe('a persona', () => {
  it('with credentials is identified, beating from the first moment', () => {
    const { state, sent, kinds } = play(CREDENTIALS, [...OPEN, HELLO, ready(7)]);
    expect(sent).toEqual([
      { op: 'identify', d: { protocolVersion: 3, personaId: 'p', token: 't', subscriptions: ['c'] } },
    ]);
    expect(kinds).toEqual(['connect', 'expect', 'beat-every', 'send', 'send', 'expect', 'entered']);
    expect(state).toMatchObject({ phase: { kind: 'ready' }, session: { id: 's', seq: 7 }, failures: 0 });
  });

  it('with an invitation is made once: its credentials are kept, and used from then on', () => {
    const registered: ServerFrame = { op: 'registered', d: { personaId: 'new', token: 'secret' } };
    const { sent, effects } = play(INVITE, [
      ...OPEN,
      HELLO,
      registered,
      { kind: 'closed', code: 1006 },
      { kind: 'retry' },
      { kind: 'opened' },
      HELLO,
    ]);
    expect(sent.map(({ op }) => op)).toEqual(['register', 'identify']);
    expect(effects).toContainEqual({ kind: 'keep', credentials: { personaId: 'new', token: 'secret' } });
  });

  it('whose invitation is refused is not made again', () => {
    const { state, effects } = play(INVITE, [
      ...OPEN,
      HELLO,
      { op: 'invalid_session', d: { resumable: false, reason: 'invite is used up' } },
      { kind: 'closed', code: 4003 },
      { kind: 'retry' },
    ]);
    expect(state.phase).toEqual({ kind: 'refused', reason: 'invite is used up' });
    expect(effects.filter(({ kind }) => kind === 'connect')).toHaveLength(1);
  });

  it('whose invitation was not answered may be there already, and is not made again', () => {
    const { state } = play(INVITE, [...OPEN, HELLO, { kind: 'overdue' }, { kind: 'closed', code: 1006 }]);
    expect(state.phase).toMatchObject({ kind: 'refused', reason: expect.stringContaining('may have made a persona') });
    const early = play(INVITE, [...OPEN, { kind: 'closed', code: 1006 }, { kind: 'retry' }, { kind: 'opened' }, HELLO]);
    expect(early.sent.map(({ op }) => op)).toEqual(['register']);
  });

  it('whose credentials are refused says so, and asks again slowly, as the same one', () => {
    const inputs = [...OPEN, HELLO, invalid(false), { kind: 'closed' as const, code: 4001 }];
    const { effects } = play(CREDENTIALS, inputs);
    expect(effects.slice(-2)).toEqual([
      { kind: 'refused', reason: 'gone' },
      { kind: 'pause', failures: 1, isLong: true },
    ]);
    const { sent } = play(CREDENTIALS, [...inputs, { kind: 'retry' }, { kind: 'opened' }, HELLO]);
    expect(sent.map(({ op }) => op)).toEqual(['identify', 'identify']);
  });
});

describe('a session', () => {
  const AT = { id: 's', seq: 41 };

  it('is resumed after whatever ends a connection', () => {
    for (const code of [1000, 1001, 1006, 1011, 4000]) {
      const { sent, state } = play(CREDENTIALS, [
        ...OPEN,
        HELLO,
        ready(7),
        { kind: 'closed', code },
        { kind: 'retry' },
        { kind: 'opened' },
        HELLO,
        { op: 'resumed', d: { replayedEvents: 0 } },
      ]);
      expect([code, sent.at(-1), state.phase.kind]).toEqual([
        code,
        { op: 'resume', d: { sessionId: 's', seq: 7 } },
        'ready',
      ]);
    }
  });

  it('that is gone is entered anew on the same socket, once', () => {
    const { sent, kinds } = play(CREDENTIALS, [...OPEN, HELLO, invalid(false), invalid(false)], AT);
    expect(sent.map(({ op }) => op)).toEqual(['resume', 'identify']);
    expect(kinds.at(-1)).toBe('close');
  });

  it('that may be resumed later is kept over a new connection', () => {
    const { state, kinds } = play(CREDENTIALS, [...OPEN, HELLO, invalid(true)], AT);
    expect([state.session, kinds.at(-1)]).toEqual([AT, 'close']);
  });

  it('whose relay does not answer a beat is given up, whatever its socket says', () => {
    const beats: (Input | ServerFrame)[] = [
      { kind: 'beat' },
      { op: 'heartbeat_ack' },
      { kind: 'beat' },
      { kind: 'beat' },
    ];
    const { kinds } = play(CREDENTIALS, [...OPEN, HELLO, ready(0), ...beats]);
    expect(kinds.slice(-3)).toEqual(['send', 'send', 'close']);
  });

  it('pauses longer with every failure, and not after a success', () => {
    const fail: Input[] = [{ kind: 'closed', code: 1006 }, { kind: 'retry' }];
    const { effects } = play(CREDENTIALS, [
      { kind: 'start' },
      ...fail,
      ...fail,
      { kind: 'opened' },
      HELLO,
      ready(0),
      { kind: 'closed', code: 1006 },
    ]);
    const failures = effects.flatMap((effect) => (effect.kind === 'pause' ? [effect.failures] : []));
    expect(failures).toEqual([1, 2, 1]);
  });
});

it('whatever happens, one connection is made at a time, and none after a stop', () => {
  const frames: ServerFrame[] = [HELLO, ready(3), invalid(true), invalid(false), { op: 'heartbeat_ack' }];
  const inputs: Input[] = [
    ...frames.map((frame): Input => ({ kind: 'frame', frame })),
    { kind: 'opened' },
    { kind: 'beat' },
    { kind: 'overdue' },
    { kind: 'retry' },
    ...[1006, 4001, 4003].map((code): Input => ({ kind: 'closed', code })),
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 60 }), (happens) => {
      let [state] = step(beginning(CREDENTIALS), { kind: 'start' });
      let connections = 1;
      for (const input of happens) {
        const [next, effects] = step(state, input);
        state = next;
        if (input.kind === 'closed') connections = 0;
        connections += effects.filter(({ kind }) => kind === 'connect').length;
        expect(connections).toBeLessThanOrEqual(1);
      }
      [state] = step(state, { kind: 'stop' });
      for (const input of happens) {
        const [next, effects] = step(state, input);
        state = next;
        expect(effects).toEqual([]);
      }
    }),
  );
});
