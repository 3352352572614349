/** What a persona may do in a channel. */
export const CAPABILITIES = [
  'VIEW_CHANNEL',
  'READ_HISTORY',
  'SEND_MESSAGES',
  'SEND_IN_THREADS',
  'CREATE_THREADS',
  'ATTACH_FILES',
  'ADD_REACTIONS',
  'MENTION_EVERYONE',
  'EDIT_OWN',
  'DELETE_OWN',
  'MANAGE_MESSAGES',
  'MANAGE_CHANNELS',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export type ChannelType = 'text' | 'voice' | 'category' | 'thread' | 'forum' | 'unknown';

export interface PortalChannel {
  readonly id: string;
  readonly guildId: string | null;
  readonly name: string | null;
  readonly type: ChannelType;
  /** Of a thread: the channel that it is in. */
  readonly parentId?: string;
  readonly archived?: boolean;
  /** Empty for a channel that the persona may not see; older relays list those, too. */
  readonly capabilities: readonly Capability[];
}

export interface PortalGuild {
  readonly id: string;
  readonly name: string;
  readonly memberCount?: number;
}

/** An agent's identity on a relay. */
export interface Persona {
  readonly id: string;
  readonly displayName: string;
  readonly avatarUrl: string;
  /** The role that mentions the persona, by guild. */
  readonly roleByGuild?: Readonly<Record<string, string>>;
}
