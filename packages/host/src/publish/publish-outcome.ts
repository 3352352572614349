import { type ChannelDescriptor, channelsPublishResult, publishTargetProblem } from '@mcpl-bridges/protocol';
import { RequestFailure } from '@mcpl-bridges/transport';

/** Where a post is to go: absent is the server's own choice, `null` the channel's root, a string exactly that thread. */
export type Place = string | null | undefined;

/** What is known of a post (RFC-011 §5). */
export type PublishOutcome =
  | { readonly kind: 'delivered'; readonly messageId?: string; readonly threadId?: string | null }
  /** Nothing was posted. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Something may have been posted, or was, but not provably where it should be. */
  | { readonly kind: 'unconfirmed'; readonly why: string; readonly messageId?: string }
  /** As a Notification, which has no answer. */
  | { readonly kind: 'sent' };

/** Why a post to `place` must not be sent at all, or `undefined` (RFC-011 §4). */
export const placeProblem = (descriptor: ChannelDescriptor, place: Place): string | undefined => {
  const target = descriptor.capabilities?.publish?.target;
  if (place !== undefined && target === undefined)
    return `${descriptor.id} does not declare where it posts; publish without threadId`;
  const problem = publishTargetProblem(target, place);
  return problem && `${problem.field} ${problem.reason}`;
};

/** What a server's answer to a post at `place` proves. */
export const judgeAnswer = (place: Place, raw: unknown): PublishOutcome => {
  const parsed = channelsPublishResult.safeParse(raw);
  if (!parsed.success) return { kind: 'unconfirmed', why: 'the answer cannot be read' };
  const { delivered, messageId, threadId, reason } = parsed.data;
  const named = messageId === undefined ? {} : { messageId };
  if (!delivered) {
    if (messageId !== undefined) return { kind: 'unconfirmed', why: 'refused, and yet it has a message id', messageId };
    return { kind: 'refused', reason: reason ?? 'the server gave no reason' };
  }
  if (place !== undefined && threadId !== place)
    return { kind: 'unconfirmed', why: `asked for ${placeName(place)}, answered ${placeName(threadId)}`, ...named };
  return { kind: 'delivered', ...named, ...(threadId === undefined ? {} : { threadId }) };
};

/** What a post without an answer proves: an error may follow a partial post. */
export const judgeFailure = (error: Error): PublishOutcome =>
  error instanceof RequestFailure && error.cause.kind === 'refused'
    ? { kind: 'unconfirmed', why: `${error.cause.error.message} (${error.cause.error.code})` }
    : { kind: 'unconfirmed', why: error.message };

const placeName = (place: Place): string => {
  if (place === undefined) return 'no place';
  return place === null ? 'the root' : `thread ${place}`;
};
