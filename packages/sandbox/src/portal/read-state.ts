import type {
  AddressReason,
  ChannelMissed,
  ChannelUnread,
  PendingPing,
  PortalMessage,
} from '@mcpl-bridges/portal-client';

/** Pings that are kept for a persona. */
const MAX_PINGS = 500;

interface Tally {
  threadId?: string;
  messages: number;
  characters: number;
  lastAt: string;
  lastMessageId: string;
  lastPreview: string;
}

interface Inbox {
  readonly watermarks: Map<string, string>;
  readonly tallies: Map<string, Tally>;
  pings: PendingPing[];
}

/** What each persona has not read, kept while it is away, too: by parent, at creation only. Times are compared as text. */
export class ReadState {
  private readonly inboxes = new Map<string, Inbox>();

  record(personaId: string, message: PortalMessage, reasons: readonly AddressReason[]): void {
    const inbox = this.inboxOf(personaId);
    const { channelId, threadId, createdAt } = message;
    if (createdAt <= (inbox.watermarks.get(channelId) ?? '')) return;
    const before = inbox.tallies.get(channelId);
    inbox.tallies.set(channelId, {
      ...(before?.threadId === undefined ? {} : { threadId: before.threadId }),
      ...(threadId === undefined ? {} : { threadId }),
      messages: (before?.messages ?? 0) + 1,
      characters: (before?.characters ?? 0) + message.cleanContent.length,
      lastAt: createdAt,
      lastMessageId: message.id,
      lastPreview: preview(message),
    });
    if (reasons.length > 0) inbox.pings = [...inbox.pings, { message, reasons, at: createdAt }].slice(-MAX_PINGS);
  }

  markRead(personaId: string, channelId: string, upto?: string): void {
    const inbox = this.inboxOf(personaId);
    const cutoff = upto ?? inbox.tallies.get(channelId)?.lastAt;
    if (cutoff === undefined) return;
    if (cutoff > (inbox.watermarks.get(channelId) ?? '')) inbox.watermarks.set(channelId, cutoff);
    inbox.tallies.delete(channelId);
    inbox.pings = inbox.pings.filter(({ message, at }) => message.channelId !== channelId || at > cutoff);
  }

  pings(personaId: string): readonly PendingPing[] {
    return this.inboxOf(personaId).pings;
  }

  unread(personaId: string): ChannelUnread[] {
    return [...this.inboxOf(personaId).tallies].map(([channelId, tally]) => ({
      channelId,
      ...(tally.threadId === undefined ? {} : { threadId: tally.threadId }),
      count: tally.messages,
      lastAt: tally.lastAt,
      lastPreview: tally.lastPreview,
    }));
  }

  missed(personaId: string, channelId: string): ChannelMissed {
    const { tallies, watermarks } = this.inboxOf(personaId);
    const since = watermarks.get(channelId);
    return {
      channelId,
      messages: 0,
      characters: 0,
      ...tallies.get(channelId),
      ...(since === undefined ? {} : { since }),
    };
  }

  private inboxOf(personaId: string): Inbox {
    const inbox = this.inboxes.get(personaId) ?? { watermarks: new Map(), tallies: new Map(), pings: [] };
    this.inboxes.set(personaId, inbox);
    return inbox;
  }
}

const preview = ({ author, cleanContent }: PortalMessage): string =>
  `${author.kind === 'system' ? 'system' : author.displayName}: ${cleanContent.replace(/\s+/g, ' ').slice(0, 120)}`;
