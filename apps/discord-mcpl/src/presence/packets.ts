import type { Status } from '@mcpl-bridges/presence';

interface PresenceData {
  readonly user: { readonly id: string };
  readonly status?: string;
}

interface VoiceData {
  readonly user_id: string;
  readonly channel_id?: string | null;
}

/** What the gateway sends of who is where, as it comes off the wire. */
export type PresencePacket =
  | {
      readonly t: 'GUILD_CREATE';
      readonly d: {
        readonly id: string;
        readonly presences?: readonly PresenceData[];
        readonly voice_states?: readonly VoiceData[];
        readonly threads?: readonly { readonly id: string }[];
      };
    }
  | { readonly t: 'GUILD_DELETE'; readonly d: { readonly id: string; readonly unavailable?: boolean } }
  | { readonly t: 'PRESENCE_UPDATE'; readonly d: PresenceData & { readonly guild_id: string } }
  | {
      readonly t: 'GUILD_MEMBERS_CHUNK';
      readonly d: { readonly guild_id: string; readonly presences?: readonly PresenceData[] };
    }
  | {
      readonly t: 'GUILD_MEMBER_REMOVE';
      readonly d: { readonly guild_id: string; readonly user: { readonly id: string } };
    }
  | { readonly t: 'VOICE_STATE_UPDATE'; readonly d: VoiceData & { readonly guild_id?: string } }
  | {
      readonly t: 'TYPING_START';
      readonly d: { readonly channel_id: string; readonly guild_id?: string; readonly user_id: string };
    }
  | { readonly t: 'THREAD_CREATE'; readonly d: { readonly id: string; readonly guild_id: string } }
  | {
      readonly t: 'THREAD_LIST_SYNC';
      readonly d: { readonly guild_id: string; readonly threads: readonly { readonly id: string }[] };
    }
  | {
      readonly t: 'THREAD_MEMBERS_UPDATE';
      readonly d: {
        readonly id: string;
        readonly guild_id: string;
        readonly added_members?: readonly { readonly user_id?: string }[];
        readonly removed_member_ids?: readonly string[];
      };
    }
  | { readonly t: 'CHANNEL_DELETE' | 'THREAD_DELETE'; readonly d: { readonly id: string; readonly guild_id?: string } };

const NAMES: Readonly<Record<PresencePacket['t'], true>> = {
  GUILD_CREATE: true,
  GUILD_DELETE: true,
  PRESENCE_UPDATE: true,
  GUILD_MEMBERS_CHUNK: true,
  GUILD_MEMBER_REMOVE: true,
  VOICE_STATE_UPDATE: true,
  TYPING_START: true,
  THREAD_CREATE: true,
  THREAD_LIST_SYNC: true,
  THREAD_MEMBERS_UPDATE: true,
  CHANNEL_DELETE: true,
  THREAD_DELETE: true,
};

export const isPresencePacket = (packet: { t?: unknown }): packet is PresencePacket =>
  typeof packet.t === 'string' && Object.hasOwn(NAMES, packet.t);

/** `invisible` is what an account calls itself; others see it offline. */
export const statusOf = ({ status }: PresenceData): Status =>
  status === 'online' || status === 'idle' || status === 'dnd' ? status : 'offline';
