import type { CoalescingLeaves } from '@mcpl-bridges/protocol';

/** When a fixture host starts inferences by itself: for events with `tag`, after a quiet period, within a bound. */
export interface WakeRule {
  readonly tag: string;
  readonly quietMs: number;
  /** Replacements put a subject off no longer than this, ms. */
  readonly boundMs: number;
}

/** What a host process is started with. */
export interface HostSetup {
  /** The kind of host to play, by the host's own name for it. */
  readonly profile: string;
  /** Every agent hears everything, in one context called after it, unless told otherwise. */
  readonly agents: readonly string[];
  /** What must survive the process is here. */
  readonly stateDir: string;
  /** Delivers as ordinary what it finds unread. */
  readonly sealed: boolean;
  readonly maxSubjects: number | undefined;
  readonly renderTimeoutMs: number;
  /** Leaves of `eventCoalescing` that differ from the profile's. */
  readonly leaves: Partial<CoalescingLeaves>;
  /** Runs the agents by itself; without it they run when told to. Nothing else starts one. */
  readonly wake: readonly WakeRule[] | undefined;
  /** ms to add to the clock. */
  readonly clockOffsetMs: number;
}

/** What the operator of the host allows a server. */
export interface ServerPolicy {
  readonly capabilities?: readonly string[];
  readonly disabled?: readonly string[];
  readonly channels?: readonly string[];
}

export interface ServerSetup {
  readonly id: string;
  readonly url: string;
  readonly policy: ServerPolicy;
  readonly retryWindowMs?: number | undefined;
  /** The answer to the first request of this method is lost: the connection ends instead. */
  readonly losesFirstAnswerTo?: string | undefined;
}

/** What a host is told to do. */
export type HostCommand =
  | { readonly op: 'connect'; readonly server: ServerSetup }
  | { readonly op: 'policy'; readonly id: string; readonly policy: ServerPolicy }
  | { readonly op: 'channel'; readonly id: string; readonly channelId: string; readonly open: boolean }
  /** Agents that hear fresh events from now on. */
  | { readonly op: 'audience'; readonly agents: readonly string[] }
  | { readonly op: 'infer'; readonly agents: readonly string[]; readonly onlyForNews: boolean }
  | { readonly op: 'consume' | 'materialize' | 'compress'; readonly agent: string }
  | { readonly op: 'failNextModel' }
  | { readonly op: 'advanceClock'; readonly ms: number }
  | { readonly op: 'idle' }
  | { readonly op: 'observe' }
  | { readonly op: 'stop' };

/** A request that a model was given. */
export interface ModelCall {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** ms since the Unix epoch, on the machine's clock. */
  readonly assemblyStartedAt: number;
  readonly observedAt: number;
}

export interface StoredMessage {
  readonly role: string;
  readonly content: string;
  readonly metadata: { readonly eventId: string; readonly messageId?: string; readonly threadId?: string };
}

export interface ServerState {
  readonly connected: boolean;
  readonly policyEstablished: boolean;
  readonly binding: string;
  readonly grant: readonly string[];
  readonly operatorPolicy: ServerPolicy;
  readonly enabledFeatures: readonly string[];
}

/** An audit entry: what became of an occurrence that no model will read as it was sent, by its `eventId`. */
export type AuditLine = Readonly<Record<string, string>>;

export interface HostState {
  readonly contexts: Readonly<Record<string, readonly StoredMessage[]>>;
  readonly servers: Readonly<Record<string, ServerState>>;
  readonly summaryLevel: number;
  readonly capacity: { readonly hard: true; readonly limit: number; readonly occupied: number };
  readonly audit: readonly AuditLine[];
}

/** A wake that started, and the causes that were due: `bound` where replacements had put one off as long as they may. */
export interface Wake {
  readonly at: number;
  readonly causes: readonly { readonly cause: string; readonly reason: 'quiet' | 'bound' }[];
}

/** What a host has shown of itself, over all its processes. */
export interface Observed {
  readonly requests: ModelCall[];
  readonly wakes: Wake[];
  modelFailures: number;
}

/** One process of the host under test. */
export interface RunningHost {
  run<T = unknown>(command: HostCommand): Promise<T>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** An orderly end. */
  stop(): Promise<void>;
}

/** The host under test, as far as the cases must drive it. */
export interface HostDriver {
  readonly name: string;
  /** Whether consumption is decided per context in the profile that is played, or shared by all (RFC-006 §3.3). */
  readonly consumption: 'per-context' | 'shared';
  readonly profile: string;
  start(setup: HostSetup, observed: Observed): Promise<RunningHost>;
}
