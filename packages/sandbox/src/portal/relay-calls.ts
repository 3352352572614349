import type { Capability, RpcMethod, RpcParams, RpcResult } from '@mcpl-bridges/portal-client';
import { storeFile } from '../rest/message-body.js';
import { newUser } from '../world/defaults.js';
import { type Channel, isThread, type Message } from '../world/entities.js';
import { deleteMessage, editMessage, postMessage, react, startTyping } from '../world/message-ops.js';
import { createChannel, deleteChannel, startThread } from '../world/place-ops.js';
import { type Call, RelayRefusal, type Served } from './call.js';
import { GUILD_CALLS } from './guild-calls.js';
import { INVITE_CALLS } from './invite-calls.js';
import type { RelayPersona } from './personas.js';
import { containerOf, nativeId, portalChannel, relayId } from './relay-messages.js';
import type { RelayState } from './relay-state.js';
import type { RelaySession } from './sessions.js';

/** Longest text of a message, characters. */
const MAX_CONTENT = 2000;

const needs = ({ state, persona }: Call<RpcMethod>, channelId: string, capability: Capability): void => {
  if (!state.capabilities(persona, channelId).includes(capability))
    throw new RelayRefusal('FORBIDDEN', `missing capability ${capability}`);
};

const channelOf = (state: RelayState, id: string): Channel => {
  const channel = state.world.channels.get(id);
  if (!channel) throw new RelayRefusal('NOT_FOUND', 'channel not found');
  return channel;
};

const messageOf = (state: RelayState, id: string): { readonly channel: Channel; readonly message: Message } => {
  const native = nativeId(id);
  for (const channel of native === undefined ? [] : state.channels()) {
    const message = state.world.messagesOf(channel.id).get(native as string);
    if (message) return { channel, message };
  }
  throw new RelayRefusal('NOT_FOUND', 'unknown message');
};

/** Posts by a webhook under a persona's name. */
export const speak = (
  state: RelayState,
  persona: RelayPersona,
  channel: Channel,
  what: Pick<Message, 'content'> & Partial<Pick<Message, 'attachments'>>,
): Message => {
  const webhookId = state.webhookIn(channel);
  const author = newUser(webhookId, persona.name, true);
  return state.postAs(persona, () => postMessage(state.world, { channel, author, webhookId, ...what }));
};

/** Where a call is aimed: relays of protocol 3 do not look at `threadId`. */
const placeOf = (state: RelayState, { channelId, threadId }: { channelId: string; threadId?: string }): string =>
  state.variant === 'M' ? channelId : (threadId ?? channelId);

/** By a webhook under the persona's name. A thread's own id takes it into the thread. */
const send = (call: Call<'send_message'>): RpcResult<'send_message'> => {
  const { state, persona, params } = call;
  const { world } = state;
  const channel = channelOf(state, placeOf(state, params));
  needs(call, channel.id, isThread(channel) ? 'SEND_IN_THREADS' : 'SEND_MESSAGES');
  const guild = world.guilds.get(channel.guild_id ?? '');
  const tags = (params.mentionPersonaIds ?? []).flatMap((id) => {
    const other = state.personas.all.get(id);
    return other && guild ? `<@&${state.roleOf(other, guild)}>` : [];
  });
  const link = params.replyToId === undefined ? '' : jumpLink(state, params.replyToId);
  const content = `${link}${[...tags, params.content ?? ''].join(' ')}`.trim();
  const files = params.files ?? [];
  if (content === '' && files.length === 0) throw new RelayRefusal(50006, 'Cannot send an empty message');
  if (content.length > MAX_CONTENT) throw new RelayRefusal(50035, 'Invalid Form Body');
  const attachments = files.map(({ name, bytes, contentType = 'application/octet-stream' }) =>
    storeFile(world, channel, { name, bytes: Buffer.from(bytes, 'base64'), contentType }),
  );
  const message = speak(state, persona, channel, { content, attachments });
  return { messageId: relayId(containerOf(world, channel.id), message.id) };
};

const jumpLink = (state: RelayState, id: string): string => {
  const { channel, message } = messageOf(state, id);
  return `> ↪ https://discord.com/channels/${channel.guild_id}/${channel.id}/${message.id}\n`;
};

const own = (call: Call<'edit_message'> | Call<'delete_message'>, capability: Capability) => {
  const found = messageOf(call.state, call.params.messageId);
  if (call.state.authorOf(found.message.id)?.id !== call.persona.id)
    throw new RelayRefusal('FORBIDDEN', 'not your message');
  needs(call as Call<RpcMethod>, found.channel.id, capability);
  return found;
};

const EMPTY = {} as Record<string, never>;

const SERVED: Served = {
  send_message: send,
  edit_message: (call) => {
    const { channel, message } = own(call, 'EDIT_OWN');
    call.state.silently(() => editMessage(call.state.world, channel, message, { content: call.params.content }));
    return EMPTY;
  },
  delete_message: (call) => {
    const { channel, message } = own(call, 'DELETE_OWN');
    deleteMessage(call.state.world, channel, message.id);
    return EMPTY;
  },
  react: (call) => {
    const { state, persona, params, session } = call;
    const { channel, message } = messageOf(state, params.messageId);
    needs(call, channel.id, 'ADD_REACTIONS');
    const { emoji } = params;
    const by = [{ kind: 'persona' as const, id: persona.id, name: persona.name }];
    // A mark of this kind reaches nobody but whoever set it.
    state.sessions.tell(session.personaId, {
      type: 'reaction_add',
      ...containerOf(state.world, channel.id),
      messageId: params.messageId,
      reaction: { emoji, count: 1, kind: 'pseudo', by },
    });
    if (params.native) react(state.world, channel, message, state.botId, { id: null, name: emoji }, true);
    if (params.visible) send({ ...call, params: { channelId: channel.id, content: `↳ ${emoji}` } });
    return EMPTY;
  },
  unreact: ({ state, params, session, persona }) => {
    const { channel, message } = messageOf(state, params.messageId);
    const { messageId, emoji } = params;
    const actor = { kind: 'persona' as const, id: persona.id, name: persona.name };
    const where = containerOf(state.world, channel.id);
    state.sessions.tell(session.personaId, { type: 'reaction_remove', ...where, messageId, emoji, actor });
    if (params.native) react(state.world, channel, message, state.botId, { id: null, name: emoji }, false);
    return EMPTY;
  },
  /** Newest first; `after` bounds what comes, and does not page. */
  fetch_history: (call) => {
    const { state, params } = call;
    needs(call, params.channelId, 'READ_HISTORY');
    const bound = (cursor: string | undefined) => BigInt(nativeId(cursor ?? '') ?? 0);
    const [before, after] = [bound(params.before), bound(params.after)];
    const all = [...state.world.messagesOf(placeOf(state, params)).values()].filter(({ id }) => {
      const n = BigInt(id);
      return (before === 0n || n < before) && n > after;
    });
    return {
      messages: all
        .slice(-(params.limit ?? 50))
        .reverse()
        .map((one) => state.message(one)),
    };
  },
  list_channels: ({ state, persona, params }) => ({
    channels: state.channels(params.guildId).map((one) => portalChannel(one, state.capabilities(persona, one.id))),
  }),
  create_thread: (call) => {
    const { state, persona, params } = call;
    needs(call, params.channelId, 'CREATE_THREADS');
    const owner = state.world.users.get(state.botId) as Message['author'];
    const thread = startThread(state.world, channelOf(state, params.channelId), params.name, owner);
    return { channel: portalChannel(thread, state.capabilities(persona, thread.id)) };
  },
  create_text_channel: ({ state, persona, params }) => {
    const guild = state.guilds().find(({ id }) => id === params.guildId);
    if (!guild) throw new RelayRefusal('NOT_FOUND', 'guild not found');
    const channel = createChannel(state.world, guild, params.name);
    return { channel: portalChannel(channel, state.capabilities(persona, channel.id)) };
  },
  delete_channel: (call) => {
    needs(call, call.params.channelId, 'MANAGE_CHANNELS');
    deleteChannel(call.state.world, channelOf(call.state, call.params.channelId));
    return EMPTY;
  },
  set_typing: ({ state, params }) => {
    startTyping(state.world, channelOf(state, params.threadId ?? params.channelId), state.botId);
    return EMPTY;
  },
  subscribe_channel: (call) => {
    needs(call, call.params.channelId, 'VIEW_CHANNEL');
    call.session.subscriptions.add(call.params.channelId);
    return EMPTY;
  },
  unsubscribe_channel: ({ session, params }) => {
    session.subscriptions.delete(params.channelId);
    return EMPTY;
  },
  list_subscriptions: ({ session }) => ({ channelIds: [...session.subscriptions] }),
  list_pins: (call) => {
    needs(call, call.params.channelId, 'READ_HISTORY');
    const all = [...call.state.world.messagesOf(call.params.channelId).values()];
    return { messages: all.filter(({ pinned }) => pinned).map((one) => call.state.message(one)) };
  },
  get_pending_pings: ({ state, persona }) => ({ pings: state.readState.pings(persona.id) }),
  list_unread: ({ state, persona }) => ({ channels: state.readState.unread(persona.id) }),
  mark_read: ({ state, persona, params }) => {
    state.readState.markRead(persona.id, params.channelId, params.uptoCreatedAt);
    return EMPTY;
  },
  channel_missed: ({ state, persona, params }) => state.readState.missed(persona.id, params.channelId),
  ...GUILD_CALLS,
  ...INVITE_CALLS,
};

/** What a relay answers to a call. @throws RelayRefusal */
export const serveCall = (
  state: RelayState,
  session: RelaySession,
  { method, params }: { readonly method: string; readonly params: object },
): unknown => {
  const persona = state.personas.all.get(session.personaId);
  const serve = Object.hasOwn(SERVED, method) ? SERVED[method as RpcMethod] : undefined;
  if (!persona || !serve) throw new RelayRefusal('INVALID_PARAMS', `unknown method ${method}`);
  return (serve as (call: Call<RpcMethod>) => unknown)({
    state,
    persona,
    session,
    params: params as RpcParams<RpcMethod>,
  });
};
