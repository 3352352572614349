import type { ChatAttachment, ChatAuthor, ChatMessage } from '@mcpl-bridges/chat';
import type { AddressReason, PortalMessage } from '@mcpl-bridges/portal-client';
import { mcplChannelId } from '../ids.js';

/** Tags that only this platform has, with what they mean. */
export const PORTAL_TAGS = {
  'portal:role-mention': 'mentions the persona by its role',
  'portal:name-mention': 'mentions the persona by its name',
  'portal:subscription': 'was heard because its channel is listened to',
  'portal:persona': 'was written by another persona of the relay',
} as const;

const TAG_OF: Readonly<Partial<Record<AddressReason, keyof typeof PORTAL_TAGS>>> = {
  role_mention: 'portal:role-mention',
  name_mention: 'portal:name-mention',
  subscription: 'portal:subscription',
};

export interface Self {
  readonly personaId: string;
  readonly name: string;
}

/** What is known of a message beside what it says. */
export interface Circumstances {
  readonly reasons: readonly AddressReason[];
  /** It is the persona's own, whatever it looks like. */
  readonly isOwn: boolean;
  readonly channelName: string | undefined;
  /** The message that it replies to, where it was seen. */
  readonly replied: { readonly authorName: string; readonly text: string } | undefined;
}

const authorOf = ({ author }: PortalMessage, self: Self, isOwn: boolean): ChatAuthor => {
  switch (author.kind) {
    case 'persona': {
      const own = isOwn || author.personaId === self.personaId;
      return { id: author.personaId, name: author.displayName, kind: own ? 'self' : 'agent' };
    }
    case 'user': {
      const kind = author.bot ? 'bot' : 'human';
      return { id: author.userId, name: author.displayName, kind: isOwn ? 'self' : kind };
    }
    case 'system':
      return { id: 'system', name: 'Discord', kind: 'bot' };
  }
};

const attachmentsOf = ({ attachments }: PortalMessage): ChatAttachment[] =>
  attachments.map(({ name, size, url, contentType }) => ({
    name,
    size,
    url,
    ...(contentType === null ? {} : { contentType }),
  }));

/** A relay's message as the bridge understands messages. Pure. */
export const toChatMessage = (message: PortalMessage, self: Self, circumstances: Circumstances): ChatMessage => {
  const { reasons, isOwn, channelName, replied } = circumstances;
  const author = authorOf(message, self, isOwn);
  const { id, channelId, threadId, guildId, replyToId, editedAt } = message;
  const mention = reasons.includes('role_mention') || reasons.includes('name_mention');
  const reply = reasons.includes('reply');
  const isAddressed = mention || reply;
  return {
    channelId: mcplChannelId(channelId),
    ...(threadId === undefined ? {} : { threadId }),
    messageId: id,
    author,
    text: message.cleanContent,
    attachments: attachmentsOf(message),
    inserts: [],
    ...(message.author.kind === 'system' ? { event: message.cleanContent } : {}),
    addressing: { mention, replyToAgent: reply, broadcast: message.mentions.everyone, direct: reasons.includes('dm') },
    inThread: threadId !== undefined,
    createdAt: message.createdAt,
    ...(editedAt === undefined ? {} : { editedAt }),
    ...(replyToId === undefined ? {} : { replyTo: { messageId: replyToId, ...replied } }),
    tags: [
      ...reasons.flatMap((reason) => TAG_OF[reason] ?? []),
      ...(author.kind === 'agent' ? (['portal:persona'] as const) : []),
    ],
    origin: {
      source: 'portal',
      messageId: id,
      nativeId: message.nativeId,
      channelId,
      mcplChannelId: mcplChannelId(channelId),
      ...(channelName === undefined ? {} : { channelName }),
      ...(guildId === null ? {} : { guildId }),
      ...(threadId === undefined ? {} : { threadId }),
      authorId: author.id,
      authorName: author.name,
      ...(replyToId === undefined ? {} : { replyTo: replyToId }),
      addressed: isAddressed,
      reasons,
      isMention: mention,
      isExplicitMention: reasons.includes('role_mention'),
      isReplyToBot: reply,
      isBot: author.kind === 'bot',
    },
  };
};
