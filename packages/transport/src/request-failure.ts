import type { RpcErrorObject } from '@mcpl-bridges/protocol';

/**
 * Why a request of ours has no result. `refused` carries the peer's own error; the other two say that the peer may
 * or may not have acted, and are never confused with a peer's error code.
 */
export type FailureCause =
  | { readonly kind: 'refused'; readonly error: RpcErrorObject }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  | { readonly kind: 'disconnected' };

const describe = (method: string, cause: FailureCause): string => {
  switch (cause.kind) {
    case 'refused':
      return `${method} was refused: ${cause.error.message} (${cause.error.code})`;
    case 'timeout':
      return `${method} had no answer after ${cause.afterMs} ms`;
    case 'disconnected':
      return `${method} had no answer: the connection closed`;
  }
};

export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  constructor(
    readonly method: string,
    override readonly cause: FailureCause,
  ) {
    super(describe(method, cause));
  }
}
