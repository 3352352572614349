import { type Channel, type Message, PortalRelay, type RelayPersona } from '@mcpl-bridges/sandbox';
import { afterThisTest } from './cleanup.js';
import { BRIDGE, PORTAL_BRIDGE } from './programs.js';
import type { Room } from './scene.js';

export const TOKEN = 'sandbox-token';

/** A bridge's way to a local Discord, as its host and the people there meet it. */
export interface Way {
  readonly program: string;
  /** What the names of the bridge's variables begin with. */
  readonly prefix: 'DISCORD' | 'PORTAL';
  readonly env: Readonly<Record<string, string>>;
  /** What hosts call it. */
  readonly serverId: string;
  /** The MCPL channel that something said in a channel or thread is told in. */
  channelId(channel: Pick<Channel, 'id' | 'guild_id' | 'parent_id' | 'type'>): string;
  /** As the host knows it. */
  messageId(message: Message): string;
  eventId(action: 'create' | 'delete', message: Message): string;
  /** Of a message's latest edit; `n` counts its edits from 1. */
  editId(message: Message, n?: number): string;
  /** What the log says when the bridge is there. */
  readonly arrival: string;
  /** A mention of the agent, as people type it, and as it is read. */
  readonly agent: string;
  readonly mention: string;
  /** The agent posts, and not by the bridge. */
  sayAsAgent(channel: Channel, text: string): Message;
  /** Cuts the bridge's connection. */
  cut(): void;
  isConnected(): boolean;
  /** Cuts it, and the session is gone, too. */
  endSession(): void;
}

/** A platform that tests can be run through. */
export interface PlatformUnderTest<W extends Way = Way> {
  readonly name: 'discord' | 'portal';
  join(room: Room): Promise<W>;
}

export const mcplId = ({ id, guild_id }: Pick<Channel, 'id' | 'guild_id'>): string =>
  `discord:${guild_id ?? 'dm'}:${id}`;

export const eventIdOf = {
  create: ({ id }: Message): string => `discord:create:${id}`,
  edit: ({ id, edited_timestamp }: Message): string =>
    `discord:edit:${id}:${(edited_timestamp ?? '').replace('+00:00', 'Z')}`,
  delete: ({ id }: Message): string => `discord:delete:${id}`,
};

export const DISCORD: PlatformUnderTest = {
  name: 'discord',
  join: async ({ sandbox, bot }) => ({
    program: BRIDGE,
    prefix: 'DISCORD',
    env: { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: sandbox.apiBase },
    serverId: 'discord',
    channelId: mcplId,
    messageId: ({ id }) => id,
    eventId: (action, message) => eventIdOf[action](message),
    editId: (message) => eventIdOf.edit(message),
    arrival: 'connected to Discord',
    agent: `<@${bot.user.id}>`,
    mention: '@agent',
    sayAsAgent: (channel, text) => sandbox.post(channel, bot.user, text),
    cut: () => sandbox.gateway.cutSockets(),
    isConnected: () => sandbox.gateway.connected === 1,
    endSession: () => {
      sandbox.gateway.forgetSessions();
      sandbox.gateway.cutSockets();
    },
  }),
};

/** The way through a relay. */
export interface PortalWay extends Way {
  readonly relay: PortalRelay;
  readonly persona: RelayPersona;
}

const THREAD_TYPES = [10, 11, 12];

const portalChannelId = ({ id, parent_id, type }: Parameters<Way['channelId']>[0]): string =>
  `portal:${THREAD_TYPES.includes(type) && parent_id ? parent_id : id}`;

const portalMessageId = ({ id, channel_id }: Message): string => `rm_${channel_id}_${id}`;

const portal = (variant: 'M' | 'N'): PlatformUnderTest<PortalWay> => ({
  name: 'portal',
  join: async ({ sandbox, bot, general }) => {
    const relay = await PortalRelay.start(sandbox.world, bot, variant);
    afterThisTest(() => relay.close());
    const persona = relay.state.personas.create('agent');
    return {
      program: PORTAL_BRIDGE,
      prefix: 'PORTAL',
      env: {
        PORTAL_URL: relay.url,
        PORTAL_PERSONA: persona.id,
        PORTAL_TOKEN: persona.token,
        DISCORD_API_BASE: sandbox.apiBase,
      },
      serverId: 'portal',
      channelId: portalChannelId,
      messageId: portalMessageId,
      eventId: (action, message) => `portal:${action}:${portalMessageId(message)}`,
      editId: (message, n = 1) => `portal:edit:${portalMessageId(message)}:r${n}`,
      arrival: 'in the relay',
      agent: relay.mentionOf(persona, general),
      mention: '@portal-agent',
      sayAsAgent: (channel, text) => relay.say(persona, channel, text),
      cut: () => relay.drop(),
      isConnected: () => relay.isPresent(persona),
      endSession: () => relay.restart(),
      relay,
      persona,
    };
  },
});

/** A relay of protocol 3. */
export const PORTAL = portal('M');

/** A relay of protocol 4. */
export const PORTAL_4 = portal('N');
