import type { RpcMethod, RpcParams, RpcResult } from '@mcpl-bridges/portal-client';
import type { RelayPersona } from './personas.js';
import type { RelayState } from './relay-state.js';
import type { RelaySession } from './sessions.js';

/** A call that the relay refuses. */
export class RelayRefusal extends Error {
  constructor(
    readonly code: string | number,
    message: string,
  ) {
    super(message);
  }
}

export interface Call<M extends RpcMethod> {
  readonly state: RelayState;
  readonly persona: RelayPersona;
  readonly session: RelaySession;
  readonly params: RpcParams<M>;
}

/** What answers calls. */
export type Served = {
  readonly [M in RpcMethod]?: (call: Call<M>) => RpcResult<M>;
};
