import type { ChatMessage } from '@mcpl-bridges/chat';
import type { AddressReason, PortalMessage } from '@mcpl-bridges/portal-client';
import { mcplChannelId } from '../ids.js';
import type { PortalDirectory } from './directory.js';
import { type Self, toChatMessage } from './normalise.js';
import type { Glimpse, Recent } from './recent.js';
import type { Relay } from './relay.js';
import type { Sending } from './sending.js';

export interface ReaderContext {
  readonly directory: PortalDirectory;
  readonly recent: Recent;
  readonly sending: Sending;
  readonly relay: Pick<Relay, 'present'>;
  readonly self: () => Self;
  /** Whether a message is known as the persona's own. */
  readonly isKnownOwn: (channelId: string, messageId: string) => Promise<boolean>;
}

/** Understands a relay's messages, with what is known of their places and of the persona's own. */
export class MessageReader {
  /** Why messages were meant for the persona, where the relay has said so. */
  reasons: ReadonlyMap<string, readonly AddressReason[]> = new Map();

  constructor(private readonly context: ReaderContext) {}

  /** @param reasons why it is meant for the persona, where the relay says so now */
  async read(message: PortalMessage, reasons?: readonly AddressReason[]): Promise<ChatMessage> {
    const { directory, recent, sending, self } = this.context;
    const { id, channelId, threadId, replyToId } = message;
    const mcplId = mcplChannelId(channelId);
    const isOwn = (await sending.isOwn(message, self().name)) || (await this.context.isKnownOwn(mcplId, id));
    recent.put(message);
    return toChatMessage(message, self(), {
      reasons: reasons ?? this.reasons.get(id) ?? (await this.derived(message)),
      isOwn,
      channelName: directory.get(threadId ?? channelId)?.name ?? undefined,
      replied: replyToId === undefined ? undefined : await this.glimpse(threadId ?? channelId, replyToId),
    });
  }

  /** A message that another one replies to. */
  private async glimpse(container: string, id: string): Promise<Glimpse | undefined> {
    const { recent, relay } = this.context;
    if (recent.get(id)) return recent.get(id);
    const found = await relay.present(container, id).catch(() => undefined);
    if (found) recent.put(found);
    return recent.get(id);
  }

  /** What follows from a message itself. */
  private async derived({ channelId, mentions, replyToId }: PortalMessage): Promise<AddressReason[]> {
    const { self, isKnownOwn } = this.context;
    const isReply = replyToId !== undefined && (await isKnownOwn(mcplChannelId(channelId), replyToId));
    return [
      ...(mentions.personas.includes(self().personaId) ? (['role_mention'] as const) : []),
      ...(isReply ? (['reply'] as const) : []),
    ];
  }
}
