import type { AddressReason, MessageAuthor, PortalMessage, PortalReaction, ReactionActor } from './messages.js';
import type { Capability, Persona, PortalChannel, PortalGuild } from './places.js';

interface Told {
  readonly message: PortalMessage;
  readonly addressedToMe: boolean;
  readonly reasons: readonly AddressReason[];
}

interface Where {
  readonly channelId: string;
  readonly threadId?: string;
}

/** What a relay tells a persona. */
export type PortalEvent =
  | ({ readonly type: 'message_create' } & Told)
  /** Also for previews of links, with the same text. */
  | ({ readonly type: 'message_update' } & Told)
  /** A message that the relay never saw is named by Discord's id alone. */
  | ({ readonly type: 'message_delete'; readonly messageId: string } & Where)
  | ({
      readonly type: 'reaction_add';
      readonly messageId: string;
      readonly reaction: PortalReaction;
      readonly messageSnippet?: string;
    } & Where)
  | ({
      readonly type: 'reaction_remove';
      readonly messageId: string;
      readonly emoji: string;
      readonly actor: ReactionActor;
      readonly messageSnippet?: string;
    } & Where)
  | ({ readonly type: 'typing'; readonly author: MessageAuthor } & Where)
  | ({ readonly type: 'pins_update' } & Where)
  | {
      readonly type: 'channel_create' | 'channel_update' | 'thread_create' | 'thread_update';
      readonly channel: PortalChannel;
    }
  | { readonly type: 'channel_delete'; readonly channelId: string; readonly guildId: string | null }
  | {
      readonly type: 'thread_delete';
      readonly channelId: string;
      readonly parentId: string;
      readonly guildId: string | null;
    }
  | { readonly type: 'guild_create'; readonly guild: PortalGuild; readonly channels: readonly PortalChannel[] }
  | { readonly type: 'guild_delete'; readonly guildId: string }
  | { readonly type: 'persona_update'; readonly persona: Persona }
  | { readonly type: 'capabilities_update'; readonly channelId: string; readonly capabilities: readonly Capability[] };

const KNOWN: Readonly<Record<PortalEvent['type'], true>> = {
  message_create: true,
  message_update: true,
  message_delete: true,
  reaction_add: true,
  reaction_remove: true,
  typing: true,
  pins_update: true,
  channel_create: true,
  channel_update: true,
  channel_delete: true,
  thread_create: true,
  thread_update: true,
  thread_delete: true,
  guild_create: true,
  guild_delete: true,
  persona_update: true,
  capabilities_update: true,
};

/** Whether an event is one of those that this version knows. */
export const isKnownEvent = (event: { readonly type: string }): event is PortalEvent =>
  Object.hasOwn(KNOWN, event.type);
