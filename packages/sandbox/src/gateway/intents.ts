/** Gateway intents by bit (Discord: Gateway Intents). */
export const Intent = {
  Guilds: 1 << 0,
  GuildMembers: 1 << 1,
  GuildVoiceStates: 1 << 7,
  GuildPresences: 1 << 8,
  GuildMessages: 1 << 9,
  GuildMessageReactions: 1 << 10,
  GuildMessageTyping: 1 << 11,
  DirectMessages: 1 << 12,
  DirectMessageReactions: 1 << 13,
  DirectMessageTyping: 1 << 14,
  MessageContent: 1 << 15,
} as const;

const HIGHEST = 1 << 26;

export const validIntents = (bits: unknown): bits is number =>
  typeof bits === 'number' && Number.isInteger(bits) && bits >= 0 && bits < HIGHEST;

export const privilegedIntents = (bits: number): ('guildMembers' | 'presences' | 'messageContent')[] => [
  ...((bits & Intent.GuildMembers) !== 0 ? (['guildMembers'] as const) : []),
  ...((bits & Intent.GuildPresences) !== 0 ? (['presences'] as const) : []),
  ...((bits & Intent.MessageContent) !== 0 ? (['messageContent'] as const) : []),
];

/** The intent an event needs, in a guild and in a private channel; 0 where it needs none. */
export const intentOf = (event: string, inGuild: boolean): number => {
  if (event.startsWith('MESSAGE_REACTION'))
    return inGuild ? Intent.GuildMessageReactions : Intent.DirectMessageReactions;
  if (event.startsWith('MESSAGE_')) return inGuild ? Intent.GuildMessages : Intent.DirectMessages;
  if (event === 'TYPING_START') return inGuild ? Intent.GuildMessageTyping : Intent.DirectMessageTyping;
  if (event === 'CHANNEL_PINS_UPDATE') return inGuild ? Intent.Guilds : Intent.DirectMessages;
  if (event.startsWith('GUILD_MEMBER_')) return Intent.GuildMembers;
  if (event === 'VOICE_STATE_UPDATE') return Intent.GuildVoiceStates;
  if (event === 'PRESENCE_UPDATE') return Intent.GuildPresences;
  return Intent.Guilds;
};
