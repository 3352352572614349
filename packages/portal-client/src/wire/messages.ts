export interface PortalAttachment {
  readonly id: string;
  readonly name: string;
  /** Ends after a while. */
  readonly url: string;
  readonly contentType: string | null;
  /** Bytes. */
  readonly size: number;
}

export type MessageAuthor =
  | { readonly kind: 'persona'; readonly personaId: string; readonly displayName: string; readonly avatarUrl: string }
  | {
      readonly kind: 'user';
      readonly userId: string;
      readonly username: string;
      readonly displayName: string;
      readonly bot: boolean;
    }
  | { readonly kind: 'system' };

export interface ReactionActor {
  readonly kind: 'persona' | 'user';
  readonly id: string;
  readonly name: string;
}

export interface PortalReaction {
  /** A character, or `name:id`. */
  readonly emoji: string;
  readonly count: number;
  /** `pseudo` ones are known to the relay only. */
  readonly kind: 'native' | 'pseudo';
  readonly by: readonly ReactionActor[];
}

export interface PortalMessage {
  /** `rm_<thread or channel>_<snowflake>`, the same whenever it is seen again. */
  readonly id: string;
  /** Discord's id. */
  readonly nativeId: string;
  /** Always the parent; `threadId` names the thread. */
  readonly channelId: string;
  readonly threadId?: string;
  readonly guildId: string | null;
  readonly author: MessageAuthor;
  readonly content: string;
  /** With mentions as names. */
  readonly cleanContent: string;
  readonly attachments: readonly PortalAttachment[];
  readonly mentions: {
    readonly personas: readonly string[];
    readonly roles: readonly string[];
    readonly users: readonly string[];
    readonly everyone: boolean;
  };
  readonly replyToId?: string;
  readonly reactions: readonly PortalReaction[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; relays have been seen that never set it. */
  readonly editedAt?: string;
}

/** Why a message is meant for a persona. */
export type AddressReason = 'role_mention' | 'reply' | 'name_mention' | 'subscription' | 'dm';

export interface PendingPing {
  readonly message: PortalMessage;
  readonly reasons: readonly AddressReason[];
  readonly at: string;
}

export interface ChannelUnread {
  readonly channelId: string;
  readonly threadId?: string;
  readonly count: number;
  readonly lastAt?: string;
  readonly lastPreview?: string;
}

export interface ChannelMissed {
  readonly channelId: string;
  readonly threadId?: string;
  readonly messages: number;
  readonly characters: number;
  readonly since?: string;
  readonly lastAt?: string;
  readonly lastMessageId?: string;
  readonly lastPreview?: string;
}
