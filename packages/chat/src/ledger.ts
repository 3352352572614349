import { createHash } from 'node:crypto';
import type { ChatMessage } from './message.js';
import { isAddressed, isBot } from './message.js';
import { readableText } from './render/body.js';

/** What is remembered of a message, so that the next news of it can be understood. Kept in the store. */
export interface Revision {
  /** Whether the agent's host was told of the message, ignores it by policy, or must never hear of it again. */
  readonly standing: 'announced' | 'ambient' | 'own' | 'deleted';
  /** The last edit known, ISO 8601. */
  readonly editedAt?: string;
  /** Of everything the agent reads of the message. */
  readonly hash: string;
  readonly author: { readonly id: string; readonly name: string };
  /** What the agent reads of it says where it was said. */
  readonly headed?: boolean;
  /** How many edits were told, where the platform has no revisions and they are counted. */
  readonly edits?: number;
}

export const revisionKey = (channelId: string, messageId: string): string => `revision:${channelId}:${messageId}`;

/** All, those that address the agent, or none. */
export const OTHER_BOTS = ['all', 'addressed', 'none'] as const;
export type OtherBots = (typeof OTHER_BOTS)[number];

/** What news of a message means for the agent. */
export type Decision =
  /** Nothing the agent should hear; `record` is what to remember, where it changed. */
  | { readonly kind: 'ignore'; readonly record?: Revision }
  | { readonly kind: 'create'; readonly record: Revision }
  | { readonly kind: 'edit'; readonly revision: string; readonly initial: boolean; readonly record: Revision }
  /** Nothing was edited, but there is more to see now, for whom it has not been sent yet. */
  | { readonly kind: 'enrich'; readonly record?: undefined }
  | { readonly kind: 'delete'; readonly authorName: string | undefined; readonly record: Revision };

export interface Circumstances {
  /** The host has the channel open. */
  readonly open: boolean;
  /** Whether ambient talk of closed channels is delivered, too. */
  readonly closedDelivery: 'addressed' | 'all';
  /** Which messages of other bots are delivered. */
  readonly otherBots: OtherBots;
  /** The agent does not want to hear of the channel. */
  readonly muted: boolean;
  /** Whether the agent hears what the platform itself says, such as who joined. */
  readonly platformEvents: boolean;
  /** The platform does not say when a message was edited: whatever reads otherwise than before is a revision. */
  readonly countsRevisions: boolean;
  /** The message is from before anything was remembered of its channel. */
  readonly predatesMemory: boolean;
  /** ms since the Unix epoch. */
  readonly now: number;
}

/** An edit older than this, of a message nobody knew, was made before we looked: nothing happened now. ms. */
export const LONG_AGO_MS = 60_000;

const hashOf = (message: ChatMessage): string =>
  createHash('sha256').update(readableText(message)).digest('base64url').slice(0, 22);

export const recordOf = (message: ChatMessage, standing: Revision['standing']): Revision => ({
  standing,
  hash: hashOf(message),
  author: { id: message.author.id, name: message.author.name },
  ...(message.editedAt === undefined ? {} : { editedAt: message.editedAt }),
});

const concernsAgent = (message: ChatMessage, { open, closedDelivery, ...policy }: Circumstances): boolean =>
  (message.event === undefined || policy.platformEvents) &&
  mayBeHeard(message, policy) &&
  (open || closedDelivery === 'all' || isAddressed(message.addressing));

const mayBeHeard = ({ author, addressing }: ChatMessage, { otherBots }: Pick<Circumstances, 'otherBots'>): boolean => {
  if (!isBot(author) || otherBots === 'all') return true;
  return otherBots === 'addressed' && isAddressed(addressing);
};

/** Of a muted channel nothing is told, but what happens there is known, so that nothing of it comes up later. */
const unlessMuted = (decision: Decision, known: Revision | undefined, { muted }: Circumstances): Decision => {
  if (!muted || decision.kind === 'ignore') return decision;
  if (decision.kind === 'enrich') return { kind: 'ignore' };
  const { record } = decision;
  const standing = decision.kind === 'delete' ? 'deleted' : (known?.standing ?? 'ambient');
  return { kind: 'ignore', record: { ...record, standing } };
};

export const decideCreate = (
  known: Revision | undefined,
  message: ChatMessage,
  circumstances: Circumstances,
): Decision => unlessMuted(creation(known, message, circumstances), known, circumstances);

const creation = (known: Revision | undefined, message: ChatMessage, circumstances: Circumstances): Decision => {
  if (known) return { kind: 'ignore' };
  if (message.author.kind === 'self') return { kind: 'ignore', record: recordOf(message, 'own') };
  return concernsAgent(message, circumstances)
    ? { kind: 'create', record: recordOf(message, 'announced') }
    : { kind: 'ignore', record: recordOf(message, 'ambient') };
};

/**
 * An update is an edit only if its edit timestamp moved forward and something the agent reads is different; unfurled
 * links, pins and flags are none.
 */
export const decideUpdate = (
  known: Revision | undefined,
  message: ChatMessage,
  circumstances: Circumstances,
): Decision => unlessMuted(revision(known, message, circumstances), known, circumstances);

const revision = (known: Revision | undefined, message: ChatMessage, circumstances: Circumstances): Decision => {
  if (message.author.kind === 'self') return { kind: 'ignore', record: recordOf(message, 'own') };
  if (known?.standing === 'deleted' || known?.standing === 'own') return { kind: 'ignore' };
  const revised = revisionOf(known, message, circumstances);
  if (revised === undefined)
    return known?.standing === 'announced' && hasPreview(message) ? { kind: 'enrich' } : { kind: 'ignore' };
  const record = {
    ...recordOf(message, known?.standing ?? 'ambient'),
    ...(known?.headed ? { headed: true } : {}),
    ...(revised.edits === undefined ? {} : { edits: revised.edits }),
  };
  if (known?.hash === record.hash) return { kind: 'ignore' };
  const { editedAt } = message;
  if (!known && editedAt !== undefined && circumstances.now - Date.parse(editedAt) > LONG_AGO_MS)
    return { kind: 'ignore', record };

  const edit = { kind: 'edit', revision: revised.name, record: { ...record, standing: 'announced' } } as const;
  if (known?.standing === 'announced') return { ...edit, initial: false };
  if (!mayBeHeard(message, circumstances)) return { kind: 'ignore', record };
  if (isAddressed(message.addressing)) return { ...edit, initial: true };
  // Whether anything of it was edited, or it only stands there, nobody can tell; its creation may still be told.
  if (!known && circumstances.predatesMemory && editedAt === undefined) return { kind: 'ignore' };
  // Where everything is remembered, an edit of what is not known is the first that is heard of it.
  return !known && circumstances.open
    ? { ...edit, initial: !circumstances.predatesMemory }
    : { kind: 'ignore', record };
};

/** The revision that an update brings, and which edit it is where they are counted; nothing where it brings none. */
const revisionOf = (
  known: Revision | undefined,
  message: ChatMessage,
  { countsRevisions }: Circumstances,
): { readonly name: string; readonly edits?: number } | undefined => {
  const { editedAt } = message;
  if (editedAt !== undefined) return !known || isLater(editedAt, known.editedAt) ? { name: editedAt } : undefined;
  if (!countsRevisions || known?.hash === hashOf(message)) return undefined;
  const edits = (known?.edits ?? 0) + 1;
  return { name: `r${edits}`, edits };
};

const hasPreview = ({ inserts }: ChatMessage): boolean => inserts.some(({ kind }) => kind === 'preview');

const isLater = (editedAt: string, than: string | undefined): boolean => than === undefined || editedAt > than;

/**
 * A deletion is told once, of messages the agent was told of and, in an open channel, of those that it may have been told
 * of before anything was remembered. One that was missed altogether is gone without a word.
 */
export const decideDelete = (known: Revision | undefined, circumstances: Circumstances): Decision =>
  unlessMuted(deletion(known, circumstances), known, circumstances);

const deletion = (known: Revision | undefined, { open, predatesMemory }: Circumstances): Decision => {
  const gone: Revision = {
    standing: 'deleted',
    hash: '',
    author: known?.author ?? { id: '', name: '' },
  };
  if (known?.standing === 'announced') return { kind: 'delete', authorName: known.author.name, record: gone };
  if (!known && open && predatesMemory) return { kind: 'delete', authorName: undefined, record: gone };
  return known?.standing === 'deleted' ? { kind: 'ignore' } : { kind: 'ignore', record: gone };
};
