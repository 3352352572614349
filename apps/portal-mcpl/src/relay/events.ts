import type { ChatBridge, ChatEvent, Locus } from '@mcpl-bridges/chat';
import type { PortalChannel, PortalEvent, ReactionActor } from '@mcpl-bridges/portal-client';
import { mcplChannelId, relayMessageId } from '../ids.js';
import type { PortalPresence } from '../presence.js';
import type { CatchUp } from './catch-up.js';
import type { PortalDirectory } from './directory.js';
import type { Self } from './normalise.js';
import type { MessageReader } from './reader.js';
import type { Registrar } from './registrar.js';

type EventOf<T extends PortalEvent['type']> = Extract<PortalEvent, { type: T }>;

interface Where {
  readonly channelId: string;
  readonly threadId?: string;
}

export interface EventsContext {
  readonly bridge: ChatBridge;
  readonly directory: PortalDirectory;
  readonly registrar: Registrar;
  readonly catchUp: CatchUp;
  readonly reader: MessageReader;
  readonly presence: PortalPresence;
  readonly self: () => Self;
  readonly renamed: (name: string) => void;
  /** Learns anew which channels there are. */
  readonly reload: () => Promise<void>;
  /** ISO 8601. */
  readonly now: () => string;
}

const locusAt = ({ channelId, threadId }: Where): Locus => ({
  channelId: mcplChannelId(channelId),
  ...(threadId === undefined ? {} : { threadId }),
});

const containerAt = ({ channelId, threadId }: Where): string => threadId ?? channelId;

/** Takes what a relay tells to the bridge. */
export class RelayEvents {
  constructor(private readonly context: EventsContext) {}

  /** @param name tells the event from all others @returns when it cannot be lost any more */
  async take(event: PortalEvent, name: string): Promise<void> {
    const { directory } = this.context;
    switch (event.type) {
      case 'message_create':
      case 'message_update':
        return this.message(event);
      case 'message_delete':
        return this.deletion(event);
      case 'reaction_add':
        return this.reaction(event, event.reaction.emoji, event.reaction.by, true);
      case 'reaction_remove':
        return this.reaction(event, event.emoji, [event.actor], false);
      case 'pins_update':
        return this.note(event, `pins:${name}`, 'the pinned messages have changed');
      case 'channel_create':
      case 'channel_update':
        directory.put(event.channel);
        return this.look();
      case 'thread_create':
      case 'thread_update':
        return this.thread(event.channel, event.type === 'thread_create');
      case 'channel_delete':
      case 'thread_delete':
        directory.delete(event.channelId);
        return this.look();
      case 'guild_create':
        directory.putGuild(event.guild, event.channels);
        return this.look();
      case 'guild_delete':
        directory.deleteGuild(event.guildId);
        return this.look();
      case 'capabilities_update':
        // Later relays list only what the persona may see.
        if (!directory.get(event.channelId)) await this.context.reload();
        directory.setCapabilities(event.channelId, event.capabilities);
        return this.look();
      case 'persona_update':
        if (event.persona.id === this.context.self().personaId) this.context.renamed(event.persona.displayName);
        return;
      case 'typing':
        return this.context.presence.told(event);
    }
  }

  /** Registers what is there now; what has come into view is looked at. */
  look(): void {
    const { bridge, registrar, catchUp } = this.context;
    for (const id of registrar.look(bridge)) catchUp.look(bridge, id);
    this.context.presence.changed();
  }

  private async message({ type, message, reasons }: EventOf<'message_create' | 'message_update'>): Promise<void> {
    const { bridge, reader, catchUp } = this.context;
    const { channelId } = message;
    await this.receive(message, async () => {
      const read = await reader.read(message, reasons);
      return { kind: type === 'message_create' ? 'created' : 'updated', message: read };
    });
    await catchUp.follow(bridge, channelId);
  }

  private deletion(event: EventOf<'message_delete'>): Promise<void> {
    const at = this.context.now();
    const messageIds = [relayMessageId(containerAt(event), event.messageId)];
    return this.receive(event, async () => ({ kind: 'deleted', ...locusAt(event), messageIds, at }));
  }

  private async reaction(
    event: Where & { readonly messageId: string },
    emoji: string,
    actors: readonly ReactionActor[],
    isAdded: boolean,
  ): Promise<void> {
    const { bridge, self } = this.context;
    const locus = locusAt(event);
    if (!bridge.hearsReactions(locus.channelId)) return;
    const at = this.context.now();
    const messageId = relayMessageId(containerAt(event), event.messageId);
    // A character, or `name:id`.
    const shown = emoji.replace(/^(\w+):\d+$/, ':$1:');
    for (const { kind, id, name } of actors) {
      if (kind === 'persona' && id === self().personaId) continue;
      const by = { id, name, ...(kind === 'persona' ? { isAgent: true } : {}) };
      await this.receive(event, async () => ({
        kind: 'reacted',
        reaction: { ...locus, messageId, emoji: shown, by, isAdded, at },
      }));
    }
  }

  private async thread(thread: PortalChannel, isNew: boolean): Promise<void> {
    const { directory, bridge, catchUp } = this.context;
    const before = directory.get(thread.id);
    directory.put(thread);
    this.look();
    const { parentId: channelId, archived = false } = thread;
    if (channelId === undefined) return;
    if (isNew && !before && directory.isVisible(channelId)) catchUp.threadCame(bridge, thread);
    if (!before || archived === (before.archived ?? false)) return;
    const at = this.context.now();
    const text = archived ? 'the thread was archived' : 'the thread was reopened';
    await this.note({ channelId, threadId: thread.id }, `${archived ? 'archived' : 'reopened'}:${at}`, text);
  }

  private note(where: Where, key: string, text: string): Promise<void> {
    const at = this.context.now();
    return this.receive(where, async () => ({ kind: 'news', note: { ...locusAt(where), key, text, at } }));
  }

  /** Relays have been seen that tell of channels where the persona may not look. */
  private async receive(where: Where, event: () => Promise<ChatEvent>): Promise<void> {
    const { bridge, directory } = this.context;
    if (directory.isVisible(where.channelId)) await bridge.receive(containerAt(where), event);
  }
}
