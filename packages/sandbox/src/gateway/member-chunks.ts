import type { Json } from '../world/entities.js';
import { presencesIn } from '../world/presence-ops.js';
import type { World } from '../world/world.js';
import { Intent } from './intents.js';
import type { Viewer } from './visibility.js';

/** Members in one chunk. */
const CHUNK = 1000;

/** What a client gets that asks for a guild's members (Discord: Request Guild Members). */
export const memberChunks = (world: World, { bot, intents }: Viewer, asked: Json): Json[] => {
  const guild = world.guilds.get(String(asked.guild_id));
  if (!guild?.members.has(bot.user.id)) return [];
  const ids = asked.user_ids === undefined ? undefined : new Set([asked.user_ids].flat().map(String));
  const query = String(asked.query ?? '').toLowerCase();
  // The whole list is for those who have the intent; without it a client sees itself.
  const all = [...guild.members.values()].filter(
    ({ user }) =>
      ((intents & Intent.GuildMembers) !== 0 || user.id === bot.user.id) &&
      (ids ? ids.has(user.id) : user.username.toLowerCase().startsWith(query)),
  );
  const limit = Number(asked.limit ?? 0) || all.length;
  const members = all.slice(0, limit);
  const count = Math.max(1, Math.ceil(members.length / CHUNK));
  return Array.from({ length: count }, (_, index) => {
    const part = members.slice(index * CHUNK, (index + 1) * CHUNK);
    return {
      guild_id: guild.id,
      members: part,
      chunk_index: index,
      chunk_count: count,
      ...(asked.nonce === undefined ? {} : { nonce: asked.nonce }),
      ...(asked.presences === true && (intents & Intent.GuildPresences) !== 0
        ? {
            presences: presencesIn(
              world,
              guild,
              part.map(({ user }) => user.id),
            ),
          }
        : {}),
    };
  });
};
