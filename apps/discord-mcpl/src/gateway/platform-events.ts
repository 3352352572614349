import { MessageType } from 'discord.js';

/** Messages that people, bots and webhooks write. */
const WRITTEN: ReadonlySet<number> = new Set([
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
  MessageType.ThreadStarterMessage,
  MessageType.PollResult,
]);

const SENTENCES: Readonly<Record<number, string>> = {
  [MessageType.RecipientAdd]: 'added somebody to the group',
  [MessageType.RecipientRemove]: 'removed somebody from the group',
  [MessageType.Call]: 'started a call',
  [MessageType.ChannelNameChange]: 'renamed the channel',
  [MessageType.ChannelIconChange]: 'changed the channel icon',
  [MessageType.ChannelPinnedMessage]: 'pinned a message',
  [MessageType.UserJoin]: 'joined the server',
  [MessageType.GuildBoost]: 'boosted the server',
  [MessageType.GuildBoostTier1]: 'boosted the server to level 1',
  [MessageType.GuildBoostTier2]: 'boosted the server to level 2',
  [MessageType.GuildBoostTier3]: 'boosted the server to level 3',
  [MessageType.ChannelFollowAdd]: 'follows another channel here',
  [MessageType.ThreadCreated]: 'started a thread',
  [MessageType.AutoModerationAction]: 'was stopped by AutoMod',
  [MessageType.StageStart]: 'started the stage',
  [MessageType.StageEnd]: 'ended the stage',
};

/** What Discord itself says of the author by a message of this type; `undefined` for what somebody wrote. */
export const platformEvent = (type: number | undefined): string | undefined =>
  type === undefined || WRITTEN.has(type) ? undefined : (SENTENCES[type] ?? `caused a system message (type ${type})`);
