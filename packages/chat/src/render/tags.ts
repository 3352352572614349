import type { CoreTag } from '@mcpl-bridges/protocol';
import { type AuthorKind, type ChatMessage, isAddressed } from '../message.js';

const SENDER: Readonly<Record<AuthorKind, CoreTag>> = {
  human: 'chat:from-human',
  bot: 'chat:from-bot',
  webhook: 'chat:from-bot',
  agent: 'chat:from-agent',
  self: 'chat:from-self',
};

const LINK = /https?:\/\/\S/;

const kindOfFile = (contentType: string | undefined): CoreTag => {
  if (contentType?.startsWith('image/')) return 'chat:has-image';
  if (contentType?.startsWith('audio/')) return 'chat:has-audio';
  return 'chat:has-file';
};

/** Every tag that applies to a message directly, `ambient` only where nothing addresses the agent (SPEC §16.2). */
export const messageTags = (message: ChatMessage): string[] => {
  const { addressing, attachments } = message;
  const tags = new Set<CoreTag>();
  if (isAddressed(addressing)) tags.add('chat:addressed');
  else tags.add('chat:ambient');
  if (addressing.mention) tags.add('chat:mention');
  if (addressing.replyToAgent) tags.add('chat:reply');
  if (addressing.broadcast) tags.add('chat:broadcast');
  if (addressing.direct) tags.add('chat:dm').add('chat:private');
  else tags.add('chat:group');
  if (message.inThread) tags.add('chat:thread');
  tags.add(SENDER[message.author.kind]);
  for (const { contentType } of attachments) tags.add(kindOfFile(contentType));
  if (LINK.test(message.text)) tags.add('chat:has-link');
  return [...tags, ...(message.tags ?? [])];
};
