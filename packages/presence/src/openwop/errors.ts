import { SERVED } from './versions.js';

/** OpenWOP's codes that are used here, with their HTTP status. */
const STATUS = {
  validation_error: 400,
  unsupported_stream_mode: 400,
  protocol_version_mismatch: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  protocol_version_unsupported: 406,
  capability_not_provided: 422,
  rate_limited: 429,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** A request that is refused, and why. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: Readonly<Record<string, unknown>>,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  get status(): (typeof STATUS)[ErrorCode] {
    return STATUS[this.code];
  }

  get envelope(): { error: string; message: string; details?: Readonly<Record<string, unknown>> } {
    const { code, message, details } = this;
    return { error: code, message, ...(details ? { details } : {}) };
  }
}

export const unauthenticated = (): Refusal =>
  new Refusal('unauthenticated', 'send Authorization: Bearer with a token that is known here', undefined, {
    'WWW-Authenticate': 'Bearer',
  });

/** The same for a channel that there is and for one that there is not. */
export const strangerHere = (): Refusal => new Refusal('forbidden', 'you are no member of this channel');

export const unsupportedVersion = (): Refusal =>
  new Refusal('protocol_version_unsupported', `this service speaks ${SERVED.join(' and ')}`, {
    protocolVersions: SERVED,
  });
