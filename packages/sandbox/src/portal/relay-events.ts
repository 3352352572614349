import type { PortalEvent } from '@mcpl-bridges/portal-client';
import type { Channel, Json, Message } from '../world/entities.js';
import type { Dispatch } from '../world/world.js';
import { actorOf, containerOf, emojiText, portalChannel, relayId } from './relay-messages.js';
import type { RelayState } from './relay-state.js';

/** Takes what happens on Discord to the personas that it is for. */
export const relayDispatch = (state: RelayState, { t, d }: Dispatch): void => {
  const tell = TELLERS[t];
  if (tell) tell(state, d);
};

type Teller = (state: RelayState, d: Json) => void;

/** To whoever is here and is addressed, or wants to hear the channel and may; never to its author. */
const deliver = (state: RelayState, type: 'message_create' | 'message_update', d: Json): void => {
  const stored = state.world.messagesOf(String(d.channel_id)).get(String(d.id));
  if (!stored || !isServed(state, stored)) return;
  const message = state.message(stored);
  const author = state.authorOf(stored.id);
  const { present } = state.sessions;
  for (const persona of state.personas.all.values()) {
    if (persona.id === author?.id) continue;
    const reasons = state.reasons(message, persona.id);
    const mayView = state.capabilities(persona, message.channelId).includes('VIEW_CHANNEL');
    if (type === 'message_create' && (reasons.length > 0 || mayView))
      state.readState.record(persona.id, message, reasons);
    if (!present.has(persona.id)) continue;
    const addressedToMe = reasons.length > 0;
    if (!addressedToMe && !(mayView && state.sessions.isSubscribed(persona.id, message.channelId))) continue;
    state.sessions.tell(persona.id, {
      type,
      message,
      addressedToMe,
      reasons: addressedToMe ? reasons : ['subscription'],
    });
  }
};

/** There are no direct messages on a relay. */
const isServed = (state: RelayState, message: Message): boolean =>
  state.world.channels.get(message.channel_id)?.guild_id !== undefined;

/** A message that the relay has never seen goes by Discord's id alone. */
const deleted = (state: RelayState, channelId: string, id: string): void => {
  const where = containerOf(state.world, channelId);
  const author = state.authorOf(id);
  const event: PortalEvent = {
    type: 'message_delete',
    ...where,
    messageId: state.hasSeen(id) ? relayId(where, id) : id,
  };
  for (const personaId of audience(state, where.channelId)) state.sessions.tell(personaId, event);
  if (author && state.sessions.present.has(author.id) && !audience(state, where.channelId).includes(author.id))
    state.sessions.tell(author.id, event);
};

const reacted = (state: RelayState, isAdded: boolean, d: Json): void => {
  const where = containerOf(state.world, String(d.channel_id));
  const id = String(d.message_id);
  const messageId = relayId(where, id);
  const emoji = emojiText(d.emoji as { id: string | null; name: string });
  const actor = actorOf(state.world, String(d.user_id));
  const author = state.authorOf(id);
  const hearers = new Set([...audience(state, where.channelId), ...(author ? [author.id] : [])]);
  for (const personaId of hearers)
    state.sessions.tell(
      personaId,
      isAdded
        ? { type: 'reaction_add', ...where, messageId, reaction: { emoji, count: 1, kind: 'native', by: [actor] } }
        : { type: 'reaction_remove', ...where, messageId, emoji, actor },
    );
};

type PlaceEvent = 'channel_create' | 'channel_update' | 'thread_create' | 'thread_update';

const guildOf = (d: Json): string | null => (d.guild_id as string | undefined) ?? null;

const placed = (state: RelayState, type: PlaceEvent, channel: Channel): void => {
  const present = state.world.channels.get(channel.id) ?? channel;
  for (const personaId of state.sessions.known) {
    const persona = state.personas.all.get(personaId);
    if (persona)
      state.sessions.tell(personaId, {
        type,
        channel: portalChannel(present, state.capabilities(persona, channel.id)),
      });
  }
};

/** Who is here, wants to hear a channel, and may. */
const audience = (state: RelayState, channelId: string): string[] =>
  [...state.sessions.present].filter((personaId) => {
    const persona = state.personas.all.get(personaId);
    const mayView = persona !== undefined && state.capabilities(persona, channelId).includes('VIEW_CHANNEL');
    return mayView && state.sessions.isSubscribed(personaId, channelId);
  });

const pinsChanged = (state: RelayState, channelId: string): void => {
  const where = containerOf(state.world, channelId);
  for (const personaId of audience(state, where.channelId))
    state.sessions.tell(personaId, { type: 'pins_update', ...where });
};

const typed = (state: RelayState, d: Json): void => {
  const where = containerOf(state.world, String(d.channel_id));
  const userId = String(d.user_id);
  const user = state.world.users.get(userId);
  // The bot types for all personas: nobody can say for which.
  if (!user || userId === state.botId) return;
  const { username, bot = false } = user;
  const author = { kind: 'user' as const, userId, username, displayName: user.global_name ?? username, bot };
  const event: PortalEvent = { type: 'typing', ...where, author };
  for (const personaId of audience(state, where.channelId))
    if (state.variant === 'M') state.sessions.tell(personaId, event);
    else state.sessions.tellInPassing(personaId, event);
};

const joined = (state: RelayState, guildId: string): void => {
  const guild = state.guilds().find(({ id }) => id === guildId);
  if (!guild) return;
  for (const personaId of state.sessions.known) {
    const persona = state.personas.all.get(personaId);
    if (persona)
      state.sessions.tell(personaId, {
        type: 'guild_create',
        guild: { id: guildId, name: guild.properties.name, memberCount: guild.members.size },
        channels: state.channels(guildId).map((one) => portalChannel(one, state.capabilities(persona, one.id))),
      });
  }
};

/** Structure and rights are kept for those that are away. */
const toAll = (state: RelayState, event: PortalEvent): void => {
  for (const personaId of state.sessions.known) state.sessions.tell(personaId, event);
};

/** Deletions of many at once are told to nobody. */
const TELLERS: Readonly<Record<string, Teller>> = {
  MESSAGE_CREATE: (state, d) => deliver(state, 'message_create', d),
  MESSAGE_UPDATE: (state, d) => deliver(state, 'message_update', d),
  MESSAGE_DELETE: (state, d) => deleted(state, String(d.channel_id), String(d.id)),
  MESSAGE_REACTION_ADD: (state, d) => reacted(state, true, d),
  MESSAGE_REACTION_REMOVE: (state, d) => reacted(state, false, d),
  TYPING_START: typed,
  GUILD_CREATE: (state, d) => joined(state, String(d.id)),
  GUILD_DELETE: (state, d) => toAll(state, { type: 'guild_delete', guildId: String(d.id) }),
  CHANNEL_PINS_UPDATE: (state, d) => pinsChanged(state, String(d.channel_id)),
  CHANNEL_CREATE: (state, d) => placed(state, 'channel_create', d as Channel),
  CHANNEL_UPDATE: (state, d) => placed(state, 'channel_update', d as Channel),
  THREAD_CREATE: (state, d) => placed(state, 'thread_create', d as Channel),
  THREAD_UPDATE: (state, d) => placed(state, 'thread_update', d as Channel),
  CHANNEL_DELETE: (state, d) => toAll(state, { type: 'channel_delete', channelId: String(d.id), guildId: guildOf(d) }),
  THREAD_DELETE: (state, d) =>
    toAll(state, {
      type: 'thread_delete',
      channelId: String(d.id),
      parentId: String(d.parent_id),
      guildId: guildOf(d),
    }),
};
