import { fileURLToPath } from 'node:url';
import { type Bot, type Channel, type Message, PortalRelay, type Sandbox } from '@mcpl-bridges/sandbox';

/** How a bridge comes to the local Discord, and how its host calls what is there. */
export interface Way {
  readonly program: string;
  readonly serverId: 'discord' | 'portal';
  readonly env: Readonly<Record<string, string>>;
  readonly channelId: string;
  messageId(message: Message): string;
  /** The revision that an edit makes; `n` counts the message's edits from 1. */
  revision(message: Message, n: number): string;
  /** Whether the agent wrote a message. */
  isAgents(message: Message): boolean;
  close(): Promise<void>;
}

export const TOKEN = 'sandbox-token';

const NAME = 'agent';

export const DISCORD_BRIDGE = fileURLToPath(import.meta.resolve('discord-mcpl/bin'));

/** A bot of its own. */
export const byDiscord = (sandbox: Sandbox, { user }: Bot, channel: Channel): Way => ({
  program: DISCORD_BRIDGE,
  serverId: 'discord',
  env: { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: sandbox.apiBase },
  channelId: `discord:${channel.guild_id}:${channel.id}`,
  messageId: ({ id }) => id,
  revision: ({ edited_timestamp }) => (edited_timestamp ?? '').replace('+00:00', 'Z'),
  isAgents: ({ author }) => author.id === user.id,
  close: async () => {},
});

/** A persona on a relay, which has the bot. */
export const byPortal = async (sandbox: Sandbox, bot: Bot, channel: Channel): Promise<Way> => {
  const relay = await PortalRelay.start(sandbox.world, bot);
  const { id, token } = relay.state.personas.create(NAME);
  return {
    program: fileURLToPath(import.meta.resolve('portal-mcpl/bin')),
    serverId: 'portal',
    env: { PORTAL_URL: relay.url, PORTAL_PERSONA: id, PORTAL_TOKEN: token, DISCORD_API_BASE: sandbox.apiBase },
    channelId: `portal:${channel.id}`,
    messageId: (message) => `rm_${message.channel_id}_${message.id}`,
    revision: (_message, n) => `r${n}`,
    isAgents: (message) => message.webhook_id !== undefined && message.author.username === NAME,
    close: () => relay.close(),
  };
};
