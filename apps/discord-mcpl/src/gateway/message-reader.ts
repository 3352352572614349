import type { ChatEvent, ChatMessage } from '@mcpl-bridges/chat';
import type { Log } from '@mcpl-bridges/producer';
import { type Client, Routes } from 'discord.js';
import { isExpired } from './expiry.js';
import { type Place, toChatMessage } from './normalise.js';
import type { MessagePacket } from './packets.js';
import type { Places } from './places.js';

export type WholeMessage = Extract<MessagePacket, { t: 'MESSAGE_CREATE' }>['d'];

type UpdatePacket = Extract<MessagePacket, { t: 'MESSAGE_UPDATE' }>['d'];

export interface ReaderContext {
  readonly client: Client<true>;
  readonly places: Places;
  readonly log: Log;
  /** ISO 8601. */
  readonly now: () => string;
}

/** Understands packets, with what the client knows of their places and names. */
export class MessageReader {
  constructor(private readonly context: ReaderContext) {}

  /** What a packet says; nothing where its place is not let through, or there is no such message any more. */
  async understand(packet: MessagePacket): Promise<ChatEvent | undefined> {
    const { d } = packet;
    const author = 'author' in d ? d.author : undefined;
    const place = await this.context.places.find(
      d.channel_id,
      d.guild_id,
      author && { id: author.id, name: author.global_name ?? author.username },
    );
    if (!place) return undefined;
    switch (packet.t) {
      case 'MESSAGE_CREATE':
        return { kind: 'created', message: this.read(await this.fresh(packet.d), place) };
      case 'MESSAGE_UPDATE': {
        const whole = await this.completed(packet.d);
        return whole && { kind: 'updated', message: this.read(whole, place) };
      }
      case 'MESSAGE_DELETE':
        return { kind: 'deleted', channelId: place.channelId, messageIds: [packet.d.id], at: this.context.now() };
      case 'MESSAGE_DELETE_BULK':
        return { kind: 'deleted', channelId: place.channelId, messageIds: packet.d.ids, at: this.context.now() };
    }
  }

  read(packet: WholeMessage, place: Place): ChatMessage {
    const guild = place.guildId === undefined ? undefined : this.context.client.guilds.cache.get(place.guildId);
    const roleIds = guild?.roles.botRoleFor(this.context.client.user)?.id;
    return toChatMessage(
      packet,
      place,
      { id: this.context.client.user.id, roleIds: roleIds ? [roleIds] : [] },
      {
        role: (id) => guild?.roles.cache.get(id)?.name,
        channel: (id) => guild?.channels.cache.get(id)?.name,
      },
    );
  }

  /** A message that waited for its turn until the links to its files ended comes with new ones. */
  private async fresh(packet: WholeMessage): Promise<WholeMessage> {
    if (!packet.attachments.some(({ url }) => isExpired(url, Date.parse(this.context.now())))) return packet;
    return (await this.fetch(packet)) ?? packet;
  }

  /** An update may be sparse; what it lacks is asked for. A message that is gone by then is no edit any more. */
  private async completed(packet: UpdatePacket): Promise<WholeMessage | undefined> {
    return packet.content !== undefined && packet.author !== undefined
      ? this.fresh(packet as WholeMessage)
      : this.fetch(packet);
  }

  private async fetch({ channel_id, id, guild_id }: UpdatePacket): Promise<WholeMessage | undefined> {
    try {
      const fetched = (await this.context.client.rest.get(Routes.channelMessage(channel_id, id))) as WholeMessage;
      return { ...fetched, ...(guild_id === undefined ? {} : { guild_id }) };
    } catch (error) {
      this.context.log.debug({ messageId: id, reason: (error as Error).message }, 'a message could not be looked up');
      return undefined;
    }
  }
}
