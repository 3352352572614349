import { createHash } from 'node:crypto';

/** Who is behind a configured server: its label and the endpoint or command that it reaches. */
export interface BindingIdentity {
  readonly serverId: string;
  /** A URL, or a command with its arguments. */
  readonly endpoint: string;
  /** Who the credentials speak for, where the operator tells two principals at one endpoint apart. */
  readonly principal?: string | undefined;
}

/**
 * A name for the binding that outlives connections. The same label with another endpoint or principal is another
 * binding and can touch nothing of the first (RFC-006 §3.2).
 */
export const bindingId = (identity: BindingIdentity): string => {
  const parts = JSON.stringify([identity.serverId, identity.endpoint, identity.principal ?? null]);
  return `${identity.serverId}#${createHash('sha256').update(parts).digest('base64url').slice(0, 16)}`;
};

/** The configured label of a binding. */
export const serverIdOf = (binding: string): string => binding.slice(0, binding.lastIndexOf('#'));
