import type { PortalEmoji, PortalMember } from '@mcpl-bridges/portal-client';
import type { Guild, Member } from '../world/entities.js';
import { RelayRefusal, type Served } from './call.js';
import type { RelayState } from './relay-state.js';

const guildOf = (state: RelayState, id: string): Guild => {
  const guild = state.guilds().find((one) => one.id === id);
  if (!guild) throw new RelayRefusal('NOT_FOUND', 'guild not found');
  return guild;
};

const memberOf = ({ user, nick, roles }: Member): PortalMember => ({
  userId: user.id,
  username: user.username,
  displayName: nick ?? user.global_name ?? user.username,
  nickname: nick,
  bot: user.bot === true,
  roles,
});

const namesOf = ({ username, displayName, nickname }: PortalMember): string[] =>
  [username, displayName, nickname ?? ''].map((name) => name.toLowerCase());

const emojisOf = (guild: Guild): PortalEmoji[] =>
  (guild.properties.emojis as { id: string; name: string; animated?: boolean }[]).map(
    ({ id, name, animated = false }) => ({
      id,
      name,
      animated,
      guildId: guild.id,
      guildName: guild.properties.name,
      token: `<${animated ? 'a' : ''}:${name}:${id}>`,
      reactionArg: `:${name}:`,
    }),
  );

/** What may be asked about servers. */
export const GUILD_CALLS: Served = {
  list_guilds: ({ state }) => ({
    guilds: state
      .guilds()
      .map(({ id, properties, members }) => ({ id, name: properties.name, memberCount: members.size })),
  }),
  list_members: ({ state, params }) => {
    const { query = '', limit = 100 } = params;
    const all = [...guildOf(state, params.guildId).members.values()].map(memberOf);
    const found = all.filter((member) => namesOf(member).some((name) => name.includes(query.toLowerCase())));
    return { members: found.slice(0, limit), membersAvailable: true };
  },
  /** Nobody, where several could be meant. */
  resolve_mentions: ({ state, params }) => {
    const all = [...guildOf(state, params.guildId).members.values()].map(memberOf);
    const resolve = (handle: string): string | null => {
      const found = all.filter((member) => namesOf(member).includes(handle.toLowerCase()));
      return found.length === 1 ? (found[0]?.userId ?? null) : null;
    };
    return { resolved: Object.fromEntries(params.handles.map((handle) => [handle, resolve(handle)])) };
  },
  list_roles: ({ state, params }) => ({
    roles: [...guildOf(state, params.guildId).roles.values()].map(({ id, name }) => ({
      id,
      guildId: params.guildId,
      name,
      pooled: state.personaOfRole(id) !== undefined,
    })),
  }),
  list_emojis: ({ state, params }) => ({
    emojis: (params.guildId === undefined ? state.guilds() : [guildOf(state, params.guildId)]).flatMap(emojisOf),
  }),
};
