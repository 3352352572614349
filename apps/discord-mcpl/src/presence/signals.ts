import type { Signal } from '@mcpl-bridges/presence';
import { mcplChannelId } from '../channel-ids.js';
import { type PresencePacket, statusOf } from './packets.js';

/** Where the statuses of direct messages would be: Discord tells none. */
export const DIRECT = 'dm';

/** What a packet says of who is where. Pure. */
export const signalsOf = ({ t, d }: PresencePacket): readonly Signal[] => {
  switch (t) {
    case 'GUILD_CREATE': {
      const statuses = (d.presences ?? []).map((one) => [one.user.id, statusOf(one)] as const);
      const voices = (d.voice_states ?? []).flatMap(({ user_id, channel_id }) =>
        channel_id ? [[user_id, mcplChannelId(d.id, channel_id)] as const] : [],
      );
      // Who is in a thread is asked for later; until then only who does something there is.
      const threads = (d.threads ?? []).map(({ id }) => threadCensus(d.id, id, []));
      return [{ kind: 'census', scope: d.id, statuses, voices }, ...threads];
    }
    case 'GUILD_DELETE':
      return [d.unavailable ? { kind: 'lost', scope: d.id } : { kind: 'census', scope: d.id, statuses: [] }];
    case 'PRESENCE_UPDATE':
      return [{ kind: 'status', scope: d.guild_id, userId: d.user.id, status: statusOf(d) }];
    case 'GUILD_MEMBERS_CHUNK':
      return (d.presences ?? []).map((one) => ({
        kind: 'status',
        scope: d.guild_id,
        userId: one.user.id,
        status: statusOf(one),
      }));
    case 'GUILD_MEMBER_REMOVE':
      return [{ kind: 'gone', scope: d.guild_id, userId: d.user.id }];
    case 'VOICE_STATE_UPDATE': {
      if (d.guild_id === undefined) return [];
      const where = d.channel_id ? { channelId: mcplChannelId(d.guild_id, d.channel_id) } : {};
      return [{ kind: 'voice', scope: d.guild_id, userId: d.user_id, ...where }];
    }
    case 'TYPING_START':
      return [{ kind: 'typing', channelId: mcplChannelId(d.guild_id, d.channel_id), userId: d.user_id }];
    case 'THREAD_CREATE':
      return [threadCensus(d.guild_id, d.id, [])];
    case 'THREAD_LIST_SYNC':
      return d.threads.map(({ id }) => threadCensus(d.guild_id, id, []));
    case 'THREAD_MEMBERS_UPDATE': {
      const joined = (d.added_members ?? []).flatMap(({ user_id }) => user_id ?? []);
      const channelId = mcplChannelId(d.guild_id, d.id);
      return [{ kind: 'thread-members', channelId, joined, left: d.removed_member_ids ?? [] }];
    }
    case 'CHANNEL_DELETE':
    case 'THREAD_DELETE':
      return [{ kind: 'channel-gone', channelId: mcplChannelId(d.guild_id, d.id) }];
  }
};

export const threadCensus = (guildId: string, threadId: string, members: readonly string[]): Signal => ({
  kind: 'thread-census',
  channelId: mcplChannelId(guildId, threadId),
  members,
});
