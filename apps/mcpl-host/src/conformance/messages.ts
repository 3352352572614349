import type { DueCause, WakePolicy } from '@mcpl-bridges/host';

/** What a scenario sets a host up with. */
export interface WorkerSetup {
  readonly agents: readonly string[];
  readonly stateDir: string;
  readonly sealed: boolean;
  readonly maxSubjects: number | undefined;
  readonly renderTimeoutMs: number;
  readonly channelScopedPush: boolean;
  /** Runs the agents by itself; without it they run when told to. */
  readonly wake: WakePolicy | undefined;
  /** ms to add to the clock. */
  readonly clockOffsetMs: number;
}

export interface ServerSetup {
  readonly id: string;
  readonly url: string;
  readonly policy: { readonly capabilities?: readonly string[]; readonly disabled?: readonly string[] };
  readonly retryWindowMs?: number | undefined;
}

/** What the adapter asks of the host process. */
export type WorkerCommand =
  | { readonly op: 'connect'; readonly server: ServerSetup }
  | { readonly op: 'disconnect'; readonly id: string }
  | { readonly op: 'policy'; readonly id: string; readonly policy: ServerSetup['policy'] }
  | { readonly op: 'channel'; readonly id: string; readonly channelId: string; readonly open: boolean }
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
  readonly assemblyStartedAt: number;
  readonly observedAt: number;
}

interface StoredMessage {
  readonly role: string;
  readonly content: string;
  readonly metadata: { readonly eventId: string; readonly messageId?: string; readonly threadId?: string };
}

export interface ServerState {
  readonly connected: boolean;
  readonly policyEstablished: boolean;
  readonly binding: string;
  readonly grant: readonly string[];
  readonly operatorPolicy: ServerSetup['policy'];
  readonly enabledFeatures: readonly string[];
}

export interface HostState {
  readonly contexts: Readonly<Record<string, readonly StoredMessage[]>>;
  readonly servers: Readonly<Record<string, ServerState>>;
  readonly summaryLevel: number;
  readonly capacity: { readonly hard: true; readonly limit: number; readonly occupied: number };
}

/** What the host process tells unasked. */
export type WorkerEvent =
  | { readonly event: 'ready' }
  | { readonly event: 'modelCall'; readonly call: ModelCall }
  | { readonly event: 'modelFailure' }
  | {
      readonly event: 'wake';
      readonly at: number;
      readonly causes: readonly DueCause[];
    };

export type WorkerAnswer = { readonly id: number; readonly result?: unknown; readonly error?: string };
