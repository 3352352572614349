import type { ClientFrame, Ready, ServerFrame } from '../wire/frames.js';
import { PROTOCOL_VERSION } from '../wire/frames.js';

/** What proves that a connection may act as a persona. */
export interface Credentials {
  readonly personaId: string;
  readonly token: string;
}

/** How a persona comes in. */
export type Login =
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  /** Makes a new persona; its credentials take the invitation's place. */
  | { readonly kind: 'invite'; readonly invite: string; readonly desiredName: string; readonly avatar?: string };

/** A session at a relay, and the last event of it that was dealt with. */
export interface SessionPoint {
  readonly id: string;
  readonly seq: number;
}

export type Phase =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'connecting' }
  /** The socket is open; the relay has not said hello. */
  | { readonly kind: 'greeting' }
  | { readonly kind: 'entering'; readonly by: 'identify' | 'register' | 'resume' }
  | { readonly kind: 'ready' }
  /** Between two attempts. */
  | { readonly kind: 'pausing' }
  /** The relay does not let the persona in, and never will as things are. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface SessionState {
  readonly phase: Phase;
  readonly login: Login;
  readonly session: SessionPoint | undefined;
  /** Failures in a row. */
  readonly failures: number;
  /** The last heartbeat was answered. */
  readonly isAlive: boolean;
  /** Why a session or a login was refused last. */
  readonly reason: string;
}

export type Input =
  | { readonly kind: 'start' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'opened' }
  | { readonly kind: 'frame'; readonly frame: ServerFrame }
  | { readonly kind: 'closed'; readonly code: number }
  /** It is time for a heartbeat. */
  | { readonly kind: 'beat' }
  /** The relay has taken too long to let the persona in. */
  | { readonly kind: 'overdue' }
  /** The pause is over. */
  | { readonly kind: 'retry' };

export type Effect =
  | { readonly kind: 'connect' }
  | { readonly kind: 'send'; readonly frame: ClientFrame }
  | { readonly kind: 'close'; readonly code: number }
  | { readonly kind: 'beat-every'; readonly ms: number }
  /** Nothing more comes by this connection: neither beats nor answers. */
  | { readonly kind: 'lost' }
  /** Starts the time that a relay may take, or calls it off. */
  | { readonly kind: 'expect'; readonly isExpecting: boolean }
  | { readonly kind: 'pause'; readonly failures: number; readonly isLong: boolean }
  /** To be kept before anything else happens. */
  | { readonly kind: 'keep'; readonly credentials: Credentials }
  | { readonly kind: 'entered'; readonly how: 'anew' | 'resumed'; readonly ready: Ready | undefined }
  | { readonly kind: 'event'; readonly seq: number; readonly event: { readonly type: string } }
  | { readonly kind: 'passing'; readonly event: { readonly type: string } }
  | { readonly kind: 'answer'; readonly answer: Extract<ServerFrame, { op: 'rpc_result' }>['d'] }
  | { readonly kind: 'refused'; readonly reason: string };

export const beginning = (login: Login, session?: SessionPoint): SessionState => ({
  phase: { kind: 'stopped' },
  login,
  session,
  failures: 0,
  isAlive: true,
  reason: '',
});

/** Close codes of a relay. */
const Close = { Normal: 1000, Lost: 4000, Credentials: 4001, Enrolment: 4003 } as const;

type Step = readonly [SessionState, readonly Effect[]];

/**
 * What a connection to a relay does next. Pure: whoever has the socket and the clock does the effects, in order.
 * @param subscriptions the channels whose talk the persona wants to hear
 */
export const step = (state: SessionState, input: Input, subscriptions: readonly string[] = []): Step => {
  switch (input.kind) {
    case 'start':
    case 'retry':
      if (input.kind === 'retry' && state.phase.kind !== 'pausing') return [state, []];
      return [{ ...state, phase: { kind: 'connecting' } }, [{ kind: 'connect' }]];
    case 'stop':
      return [
        { ...state, phase: { kind: 'stopped' } },
        [{ kind: 'expect', isExpecting: false }, { kind: 'lost' }, { kind: 'close', code: Close.Normal }],
      ];
    case 'opened':
      if (state.phase.kind !== 'connecting') return [state, []];
      return [{ ...state, phase: { kind: 'greeting' }, isAlive: true }, [{ kind: 'expect', isExpecting: true }]];
    case 'closed':
      return closed(state, input.code);
    case 'beat':
      return beat(state);
    case 'overdue':
      return isOpen(state.phase) && state.phase.kind !== 'ready'
        ? [state, [{ kind: 'close', code: Close.Lost }]]
        : [state, []];
    case 'frame':
      return isOpen(state.phase) ? read(state, input.frame, subscriptions) : [state, []];
  }
};

const isOpen = ({ kind }: Phase): boolean => kind === 'greeting' || kind === 'entering' || kind === 'ready';

const read = (state: SessionState, frame: ServerFrame, subscriptions: readonly string[]): Step => {
  switch (frame.op) {
    case 'hello': {
      if (state.phase.kind !== 'greeting') return [state, []];
      const [entering, effects] = enter(state, subscriptions);
      const first: Effect[] = [{ kind: 'beat-every', ms: frame.d.heartbeatIntervalMs }, beatOf(state)];
      return [entering, [...first, ...effects]];
    }
    case 'registered': {
      const credentials = { personaId: frame.d.personaId, token: frame.d.token };
      return [{ ...state, login: { kind: 'credentials', credentials } }, [{ kind: 'keep', credentials }]];
    }
    case 'ready':
      return entered({ ...state, session: { id: frame.d.sessionId, seq: frame.d.seq } }, 'anew', frame.d);
    case 'resumed':
      return entered(state, 'resumed', undefined);
    case 'invalid_session':
      return invalid({ ...state, reason: frame.d.reason }, frame.d.resumable, subscriptions);
    case 'heartbeat_ack':
      return [{ ...state, isAlive: true }, []];
    case 'dispatch':
      return [state, [{ kind: 'event', seq: frame.seq, event: frame.d }]];
    case 'dispatch_ephemeral':
      return [state, [{ kind: 'passing', event: frame.d }]];
    case 'rpc_result':
      return [state, [{ kind: 'answer', answer: frame.d }]];
  }
};

/** Resumes a session where there is one; enrols only with an invitation. */
const enter = (state: SessionState, subscriptions: readonly string[]): Step => {
  const { login, session } = state;
  const about = { protocolVersion: PROTOCOL_VERSION, subscriptions };
  if (session) return entering(state, { op: 'resume', d: { sessionId: session.id, seq: session.seq } });
  if (login.kind === 'credentials') return entering(state, { op: 'identify', d: { ...about, ...login.credentials } });
  const { kind: _kind, ...invitation } = login;
  return entering(state, { op: 'register', d: { ...about, ...invitation } });
};

const entering = (
  state: SessionState,
  frame: Extract<ClientFrame, { op: 'identify' | 'register' | 'resume' }>,
): Step => [{ ...state, phase: { kind: 'entering', by: frame.op } }, [{ kind: 'send', frame }]];

const entered = (state: SessionState, how: 'anew' | 'resumed', ready: Ready | undefined): Step => [
  { ...state, phase: { kind: 'ready' }, failures: 0, reason: '' },
  [
    { kind: 'expect', isExpecting: false },
    { kind: 'entered', how, ready },
  ],
];

/** A session that is gone is entered anew on the same socket, once: whatever else is refused, the relay hangs up. */
const invalid = (state: SessionState, isResumable: boolean, subscriptions: readonly string[]): Step => {
  const wasResuming = state.phase.kind === 'ready' || (state.phase.kind === 'entering' && state.phase.by === 'resume');
  if (!wasResuming) return [state, [{ kind: 'close', code: Close.Lost }]];
  if (isResumable) return [state, [{ kind: 'close', code: Close.Lost }]];
  return enter({ ...state, session: undefined }, subscriptions);
};

const beatOf = ({ session }: SessionState): Effect => ({
  kind: 'send',
  frame: { op: 'heartbeat', d: { seq: session?.seq ?? 0 } },
});

const beat = (state: SessionState): Step => {
  if (!isOpen(state.phase)) return [state, []];
  // Relays do not ping: one that has not answered the last beat is gone, whatever the socket says.
  if (!state.isAlive) return [state, [{ kind: 'close', code: Close.Lost }]];
  return [{ ...state, isAlive: false }, [beatOf(state)]];
};

const closed = (state: SessionState, code: number): Step => {
  const { phase, reason } = state;
  if (phase.kind === 'stopped' || phase.kind === 'refused') return [state, []];
  const over: Effect[] = [{ kind: 'lost' }, { kind: 'expect', isExpecting: false }];
  const why = notEnrolled(state, code);
  if (why !== undefined)
    return [{ ...state, phase: { kind: 'refused', reason: why } }, [...over, { kind: 'refused', reason: why }]];
  const failures = state.failures + 1;
  const pausing: SessionState = { ...state, phase: { kind: 'pausing' }, failures };
  if (code !== Close.Credentials) return [pausing, [...over, { kind: 'pause', failures, isLong: false }]];
  // Never enrolled anew: that would be another persona.
  const refused: Effect = { kind: 'refused', reason: reason || 'the relay does not accept the credentials' };
  return [{ ...pausing, session: undefined }, [...over, refused, { kind: 'pause', failures, isLong: true }]];
};

/** Why an invitation will not be used again: it was refused, or it may have been used already. */
const notEnrolled = ({ phase, login, reason }: SessionState, code: number): string | undefined => {
  if (code === Close.Enrolment) return reason || 'the relay does not accept the invitation';
  const isUnanswered = phase.kind === 'entering' && phase.by === 'register' && login.kind === 'invite';
  return isUnanswered
    ? 'the relay has not answered the invitation, and may have made a persona by it: look there before you use it again'
    : undefined;
};
