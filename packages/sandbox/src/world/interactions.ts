import { randomBytes } from 'node:crypto';
import type { Bot, Channel, Json, Message, User } from './entities.js';
import { ChannelType } from './entities.js';
import { editMessage, postMessage } from './message-ops.js';
import type { World } from './world.js';

/** MessageFlags: only whoever gave the command sees it; the bot is still thinking. */
const Flag = { Ephemeral: 64, Loading: 128 } as const;

/** InteractionCallbackType. */
const Callback = { Message: 4, DeferredMessage: 5 } as const;

/** What whoever gave a command sees of the answer. */
export type CommandAnswer =
  | { readonly kind: 'none' }
  | { readonly kind: 'thinking'; readonly isEphemeral: boolean }
  | { readonly kind: 'answered'; readonly isEphemeral: boolean; readonly content: string };

/** A slash command that somebody has given. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly applicationId: string;
  readonly channel: Channel;
  readonly bot: Bot;
  readonly user: User;
  answer: CommandAnswer;
  /** The answer where everybody in the channel sees it. */
  message: Message | undefined;
}

const STRING = 3;
const INTEGER = 4;

/** Gives a command of `bot`'s, as a user does by typing it. */
export const giveCommand = (
  world: World,
  bot: Bot,
  channel: Channel,
  user: User,
  name: string,
  options: Readonly<Record<string, string | number>> = {},
): Interaction => {
  const interaction: Interaction = {
    id: world.nextId(),
    token: randomBytes(24).toString('base64url'),
    applicationId: bot.user.id,
    channel,
    bot,
    user,
    answer: { kind: 'none' },
    message: undefined,
  };
  world.interactions.set(interaction.token, interaction);
  const guild = world.guilds.get(channel.guild_id ?? '');
  const member = guild?.members.get(user.id);
  const d: Json = {
    id: interaction.id,
    application_id: bot.user.id,
    type: 2,
    token: interaction.token,
    version: 1,
    data: {
      id: world.nextId(),
      name,
      type: 1,
      options: Object.entries(options).map(([option, value]) => ({
        name: option,
        type: typeof value === 'number' ? INTEGER : STRING,
        value,
      })),
    },
    channel_id: channel.id,
    channel: { id: channel.id, type: channel.type ?? ChannelType.GuildText, permissions: '0' },
    ...(guild ? { guild_id: guild.id, guild: { id: guild.id, locale: 'en-US', features: [] } } : {}),
    ...(member ? { member: { ...member, permissions: '0' } } : { user }),
    app_permissions: '0',
    locale: 'en-US',
    entitlements: [],
    authorizing_integration_owners: {},
    context: guild ? 0 : 1,
  };
  world.dispatch({ t: 'INTERACTION_CREATE', d, to: bot.user.id, ...(guild ? { guildId: guild.id } : {}) });
  return interaction;
};

/** The bot's first answer. @returns whether it may be given: once, and in a form that is known */
export const answerCommand = (world: World, interaction: Interaction, type: unknown, data: Json): boolean => {
  if (interaction.answer.kind !== 'none') return false;
  const isEphemeral = (Number(data.flags ?? 0) & Flag.Ephemeral) !== 0;
  if (type === Callback.Message) {
    const content = String(data.content ?? '');
    interaction.answer = { kind: 'answered', isEphemeral, content };
    if (!isEphemeral) interaction.message = post(world, interaction, content, 0);
    return true;
  }
  if (type !== Callback.DeferredMessage) return false;
  interaction.answer = { kind: 'thinking', isEphemeral };
  if (!isEphemeral) interaction.message = post(world, interaction, '', Flag.Loading);
  return true;
};

/** Puts the answer in place of the one before. @returns the message, whether or not it stands in the channel */
export const changeAnswer = (world: World, interaction: Interaction, content: string): Message => {
  const isEphemeral = interaction.answer.kind !== 'none' && interaction.answer.isEphemeral;
  interaction.answer = { kind: 'answered', isEphemeral, content };
  const { channel, message } = interaction;
  if (message) return editMessage(world, channel, message, { content, flags: 0 });
  return { ...unseen(world, interaction), content };
};

const CHAT_INPUT_COMMAND = 20;

const post = (world: World, { channel, bot, user, id }: Interaction, content: string, flags: number): Message =>
  postMessage(world, {
    channel,
    author: bot.user,
    content,
    flags,
    type: CHAT_INPUT_COMMAND,
    webhookId: bot.user.id,
    extra: {
      application_id: bot.user.id,
      interaction_metadata: { id, type: 2, user, authorizing_integration_owners: {} },
    },
  });

const unseen = (world: World, { channel, bot }: Interaction): Message => ({
  id: world.nextId(),
  channel_id: channel.id,
  author: bot.user,
  content: '',
  timestamp: world.now(),
  edited_timestamp: null,
  mentions: [],
  mention_roles: [],
  mention_everyone: false,
  attachments: [],
  embeds: [],
  pinned: false,
  type: CHAT_INPUT_COMMAND,
  flags: Flag.Ephemeral,
});
