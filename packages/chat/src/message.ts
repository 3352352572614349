import type { Locus } from './locus.js';

/** Who wrote a message, as far as the agent should care. */
export type AuthorKind = 'human' | 'bot' | 'webhook' | 'agent' | 'self';

export interface ChatAuthor {
  readonly id: string;
  readonly name: string;
  readonly kind: AuthorKind;
}

export interface ChatAttachment {
  readonly name: string;
  /** Bytes, as the platform says. */
  readonly size: number;
  readonly url: string;
  readonly contentType?: string;
  /** A voice message's length. */
  readonly seconds?: number;
  /** What is in it, where that was fetched and is fit to be read. */
  readonly inline?:
    | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
    /** base64. */
    | { readonly kind: 'image'; readonly data: string; readonly mimeType: string };
}

/** What a message holds beside its text and files. */
export type Insert =
  | {
      readonly kind: 'forward';
      readonly text: string;
      readonly attachments: readonly ChatAttachment[];
      readonly inserts: readonly Insert[];
    }
  | { readonly kind: 'sticker'; readonly name: string }
  | {
      readonly kind: 'poll';
      readonly question: string;
      readonly answers: readonly { readonly text: string; readonly votes?: number }[];
      readonly isClosed: boolean;
    }
  /** What the platform shows of a link in the text; comes and goes without an edit. */
  | { readonly kind: 'preview'; readonly lines: readonly string[]; readonly url?: string }
  /** A card, as bots post them. */
  | { readonly kind: 'card'; readonly lines: readonly string[]; readonly url?: string };

/** In which ways a message is meant for the agent: four different facts, so that policies can tell them apart. */
export interface Addressing {
  readonly mention: boolean;
  readonly replyToAgent: boolean;
  readonly broadcast: boolean;
  readonly direct: boolean;
}

/** A message as every platform can describe it: what the agent reads, and what decides how it is treated. */
export interface ChatMessage extends Locus {
  readonly messageId: string;
  readonly author: ChatAuthor;
  /** With mentions as names. */
  readonly text: string;
  readonly attachments: readonly ChatAttachment[];
  readonly inserts: readonly Insert[];
  /** Set on what the platform itself says of the author, such as `joined the server`. */
  readonly event?: string;
  readonly addressing: Addressing;
  readonly inThread: boolean;
  readonly replyTo?: { readonly messageId: string; readonly authorName?: string; readonly text?: string };
  /** ISO 8601. */
  readonly createdAt: string;
  /**
   * The platform's revision of the present text; absent on a message that was never edited. ISO 8601 in UTC, always with
   * the same number of digits, so that a later one is greater as text. Platforms that have none count (`Circumstances`).
   */
  readonly editedAt?: string;
  /** Of the agent's own message: what it was sent under, where the platform says. */
  readonly nonce?: string;
  /** Tags that only this platform has, beside those that follow from the rest. */
  readonly tags?: readonly string[];
  /** Provenance as the platform has it. */
  readonly origin: Readonly<Record<string, unknown>>;
}

/** Somebody marks a message, or takes the mark back. */
export interface Reaction extends Locus {
  readonly messageId: string;
  /** As it is shown. */
  readonly emoji: string;
  readonly by: { readonly id: string; readonly name: string; readonly isAgent?: boolean };
  readonly isAdded: boolean;
  /** It was taken back by somebody else, who may. */
  readonly isCleared?: boolean;
  /** ISO 8601: when the news came. */
  readonly at: string;
}

/** Something that happened to messages. */
export type MessageEvent =
  | { readonly kind: 'created'; readonly message: ChatMessage }
  /** The platform says that a message changed; whether anything was edited is still to be found out. */
  | { readonly kind: 'updated'; readonly message: ChatMessage }
  /** One message, or many at once. `at` is when the news came, ISO 8601. */
  | ({ readonly kind: 'deleted'; readonly messageIds: readonly string[]; readonly at: string } & Locus);

/** Something that the platform tells of a channel without a message. */
export interface Note extends Locus {
  /** Tells it from whatever else happened in the channel, whenever it is seen again. */
  readonly key: string;
  /** What happened, such as `the thread was archived`. */
  readonly text: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Something that happened in a channel. */
export type ChatEvent =
  | MessageEvent
  | { readonly kind: 'reacted'; readonly reaction: Reaction }
  /** All marks of a message are gone at once, or all of one emoji. */
  | ({
      readonly kind: 'reactions-cleared';
      readonly messageId: string;
      readonly emoji?: string;
      readonly at: string;
    } & Locus)
  | { readonly kind: 'news'; readonly note: Note };

/** Where an event happened. */
export const locusOfEvent = (event: ChatEvent): Locus => {
  switch (event.kind) {
    case 'created':
    case 'updated':
      return event.message;
    case 'reacted':
      return event.reaction;
    case 'news':
      return event.note;
    case 'deleted':
    case 'reactions-cleared':
      return event;
  }
};

/** Whether a program wrote it that answers, and so may be answered for ever. */
export const isBot = ({ kind }: Pick<ChatAuthor, 'kind'>): boolean => kind === 'bot' || kind === 'agent';

export const isAddressed = ({ mention, replyToAgent, direct }: Addressing): boolean =>
  mention || replyToAgent || direct;
