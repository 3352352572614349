import { createHash } from 'node:crypto';
import { doneWithin, type RecordWrite, type Time } from '@mcpl-bridges/producer';
import type { Content } from '@mcpl-bridges/protocol';
import { type Locus, locusKey, locusOf } from '../locus.js';
import { type ChatPlatform, type OutgoingPart, SendRefused } from '../platform.js';
import { SerialByKey } from '../serial.js';
import { type Delivery, type Extras, toParts } from './outgoing.js';

/** A post that was begun: which of its parts were posted, and for whom. */
interface Posting {
  readonly connection: string | undefined;
  readonly parts: readonly { readonly nonce: string; readonly messageId?: string }[];
  /** ms since the Unix epoch. */
  readonly begunAt: number;
  /** ms since the Unix epoch; absent while a part is missing. */
  readonly doneAt?: number;
}

/** For how long a post is remembered, ms. */
const KEPT_MS = 3_600_000;

/** A host that says the same on another connection so soon has not heard that it was posted, ms. */
const REPEAT_MS = 60_000;

/** Who says the same so long after a post was cut off means another post, ms. */
const UNFINISHED_MS = 600_000;

/** How long a post waits to be recorded while the store is away, ms. */
const RECORDING_MS = 3000;

const nonceKey = (nonce: string): string => `posted:${nonce}`;

/** What is remembered when a message of the agent's own is seen. */
export const seenNonce = (nonce: string, messageId: string): RecordWrite => ({
  key: nonceKey(nonce),
  value: messageId,
  keepMs: KEPT_MS,
});

export interface PosterOptions {
  readonly platform: Pick<ChatPlatform, 'send' | 'maxTextUnits' | 'unitsBefore'>;
  readonly recall: (key: string) => Promise<unknown>;
  readonly remember: (records: readonly RecordWrite[]) => Promise<void>;
  readonly connectionId: () => string | undefined;
  /** At most 25 characters, never the same twice. */
  readonly newNonce: () => string;
  /** ms since the Unix epoch. */
  readonly now: () => number;
  readonly time: Time;
}

export interface Post extends Locus, Extras {
  readonly content: Content;
}

/**
 * Posts content, part by part, a channel's posts one after the other. What is begun is written down first, under the
 * nonces that it goes out with: asked once more for what was cut off, by a crash or a lost connection, it posts only what
 * is missing.
 */
export class Poster {
  private readonly channels = new SerialByKey();

  constructor(private readonly options: PosterOptions) {}

  async post(post: Post): Promise<Delivery> {
    const { maxTextUnits, unitsBefore } = this.options.platform;
    const { replyTo, mentions = [] } = post;
    const taken = unitsBefore?.({ ...(replyTo === undefined ? {} : { replyTo }), mentions }) ?? 0;
    const parts = toParts(post.content, maxTextUnits, post, taken);
    if (parts.length === 0) return { kind: 'refused', reason: 'there is nothing to post: the text is empty' };
    let delivery: Delivery | undefined;
    await this.channels.run(locusKey(post), async () => {
      delivery = await this.postParts(locusOf(post), parts);
    });
    return delivery as Delivery;
  }

  private async postParts(locus: Locus, parts: readonly OutgoingPart[]): Promise<Delivery> {
    const key = `post:${locusKey(locus)}:${digest(parts)}`;
    const { isAgain, ...begun } = await this.begin(key, parts.length);
    let posting: Posting = begun;
    const messageIds: string[] = [];
    for (const [i, part] of parts.entries()) {
      const { nonce, messageId } = posting.parts[i] as Posting['parts'][number];
      try {
        const id =
          messageId ??
          (await this.seen(nonce)) ??
          (await this.options.platform.send(locus, {
            ...part,
            nonce,
            ...(isAgain ? { attemptedAt: posting.begunAt } : {}),
          }));
        messageIds.push(id);
        if (messageId === undefined) posting = withPosted(posting, i, id);
      } catch (error) {
        if (!(error instanceof SendRefused)) throw error;
        await this.record(key, posting);
        if (messageIds.length === 0) return { kind: 'refused', reason: error.message };
        return { kind: 'partly', messageIds, parts: parts.length, reason: error.message };
      }
    }
    await this.record(key, { ...posting, doneAt: this.options.now() });
    return { kind: 'sent', messageIds };
  }

  /** The post as it stands: begun anew, or what is left of an earlier attempt. */
  private async begin(key: string, parts: number): Promise<Posting & { readonly isAgain: boolean }> {
    const { recall, connectionId, newNonce, now } = this.options;
    const connection = connectionId();
    const held = (await recall(key)) as Posting | undefined;
    if (held && isAskedAgain(held, connection, now())) return { ...held, isAgain: true };
    const posting = { connection, begunAt: now(), parts: Array.from({ length: parts }, () => ({ nonce: newNonce() })) };
    await this.record(key, posting);
    return { ...posting, isAgain: false };
  }

  private async seen(nonce: string): Promise<string | undefined> {
    return (await this.options.recall(nonceKey(nonce))) as string | undefined;
  }

  /** Answers matter more than knowing them twice: a store that is away holds nobody up. */
  private async record(key: string, posting: Posting): Promise<void> {
    const { remember, time } = this.options;
    await doneWithin(time, RECORDING_MS, remember([{ key, value: posting, keepMs: KEPT_MS }]));
  }
}

/** Whether a post that is asked for is the one that was begun, and not another one with the same words. */
const isAskedAgain = ({ begunAt, doneAt, ...held }: Posting, connection: string | undefined, now: number): boolean =>
  doneAt === undefined ? now - begunAt < UNFINISHED_MS : held.connection !== connection && now - doneAt < REPEAT_MS;

const withPosted = (posting: Posting, index: number, messageId: string): Posting => ({
  ...posting,
  parts: posting.parts.map((part, i) => (i === index ? { ...part, messageId } : part)),
});

const digest = (parts: readonly OutgoingPart[]): string => {
  const hash = createHash('sha256');
  for (const { text, files, replyTo, mentions = [] } of parts) {
    hash.update(
      JSON.stringify([text, replyTo ?? null, mentions, files.map(({ name, bytes }) => [name, bytes.length])]),
    );
    for (const { bytes } of files) hash.update(bytes);
  }
  return hash.digest('base64url').slice(0, 22);
};
