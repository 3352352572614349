/**
 * What became of occurrences that no model will read as they were sent (RFC-006 §11), linked by their ids. Never holds
 * content: what its author took back is not kept for that.
 */
export type AuditEntry =
  /** Unread, and replaced by `by`. */
  | { readonly what: 'displaced'; readonly eventId: string; readonly by: string }
  /** Unread, and taken back by `by`. */
  | { readonly what: 'withdrawn'; readonly eventId: string; readonly by: string }
  /** A notice that joined the batch `into` opened. */
  | { readonly what: 'folded'; readonly eventId: string; readonly into: string }
  /** The render of the batch that `eventId` was the latest of came to nothing: cancelled, or its authority lapsed. */
  | { readonly what: 'discarded'; readonly eventId: string; readonly why: string };

export interface AuditLog {
  /** `at`: ms since the Unix epoch. */
  write(at: number, binding: string, entry: AuditEntry): void;
}

export const noAudit: AuditLog = { write: () => {} };
