import type { ModelCall, Wake } from '@mcpl-bridges/conformance';

/** What a host process tells unasked. */
export type WorkerEvent =
  | { readonly event: 'ready' }
  | { readonly event: 'modelCall'; readonly call: ModelCall }
  | { readonly event: 'modelFailure' }
  | { readonly event: 'wake'; readonly wake: Wake };

export type WorkerAnswer = { readonly id: number; readonly result?: unknown; readonly error?: string };
