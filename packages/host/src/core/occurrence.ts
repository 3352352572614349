import type { ContentBlock } from '@mcpl-bridges/protocol';

/** Which platform message an occurrence speaks of; reply targets point at it, whatever lane it came by. */
export interface MessageRef {
  readonly channelId: string;
  readonly messageId: string;
  readonly threadId?: string;
  readonly author?: { readonly id: string; readonly name: string };
}

/** Where a key lives (RFC-006 §3.2). */
export type Scope =
  | { readonly kind: 'channel'; readonly channelId: string }
  | { readonly kind: 'featureSet'; readonly featureSet: string };

/** A notice whose content is asked for when a model is about to read it (RFC-006 §5). */
export interface DeferredTreatment {
  readonly kind: 'deferred';
  readonly scope: Scope;
  readonly key: string;
  readonly initial: boolean;
  readonly featureSet: string;
  /** The server's own, returned to it as it came, never shown to a model. */
  readonly data?: unknown;
}

/** How an occurrence wants to be coalesced; `ordinary` ones are appended and forgotten. */
export type Treatment =
  | { readonly kind: 'ordinary' }
  | DeferredTreatment
  | { readonly kind: 'plain'; readonly scope: Scope; readonly key: string; readonly initial: boolean }
  | { readonly kind: 'retract'; readonly scope: Scope; readonly key: string };

/** An occurrence that passed admission, in the form the reducer and the journal know. */
export interface AdmittedOccurrence {
  /** The host's own name for the server behind it; two bindings never share anything (RFC-006 §3.2). */
  readonly binding: string;
  /** The occurrence's identity: `eventId`, or `messageId` on an incoming message without one. */
  readonly eventId: string;
  readonly timestamp: string;
  readonly content: readonly ContentBlock[];
  readonly tags: readonly string[];
  readonly treatment: Treatment;
  readonly message?: MessageRef;
}

const subjectId = (binding: string, scope: Scope, key: string): string =>
  JSON.stringify([binding, scope.kind, scope.kind === 'channel' ? scope.channelId : scope.featureSet, key]);

/** The subject an occurrence speaks of; an ordinary one speaks of none. */
export const subjectIdOf = ({ binding, treatment }: AdmittedOccurrence): string | undefined =>
  treatment.kind === 'ordinary' ? undefined : subjectId(binding, treatment.scope, treatment.key);
