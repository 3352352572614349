/** How somebody shows themselves, in Discord's words. */
export type Status = 'online' | 'idle' | 'dnd' | 'offline';

/** What a platform tells of who is where. A scope is where statuses hold: a Discord server, say. */
export type Signal =
  /** Everything that is known of a scope, in place of whatever was; the connection to it stands. */
  | {
      readonly kind: 'census';
      readonly scope: string;
      /** Absent where the platform does not tell statuses: then who speaks counts as present for a while. */
      readonly statuses?: readonly (readonly [userId: string, status: Status])[];
      readonly voices?: readonly (readonly [userId: string, channelId: string])[];
    }
  | { readonly kind: 'status'; readonly scope: string; readonly userId: string; readonly status: Status }
  | { readonly kind: 'typing'; readonly channelId: string; readonly userId: string }
  | { readonly kind: 'spoke'; readonly channelId: string; readonly userId: string }
  /** Another instance says where somebody is; for a while, as long as it does not say so again. */
  | { readonly kind: 'shared' | 'unshared'; readonly channelId: string; readonly userId: string }
  /** Without a channel: nowhere any more. */
  | { readonly kind: 'voice'; readonly scope: string; readonly userId: string; readonly channelId?: string }
  /** Only who has joined a thread is present in it. */
  | {
      readonly kind: 'thread-members';
      readonly channelId: string;
      readonly joined: readonly string[];
      readonly left: readonly string[];
    }
  /** All who have joined a thread, in place of whoever was known to. */
  | { readonly kind: 'thread-census'; readonly channelId: string; readonly members: readonly string[] }
  /** No member of the scope any more. */
  | { readonly kind: 'gone'; readonly scope: string; readonly userId: string }
  /** The connection that tells of a scope is cut: for a while it may come back and tell what was missed. */
  | { readonly kind: 'lost'; readonly scope: string }
  | { readonly kind: 'back'; readonly scope: string }
  /** There is no such channel any more. */
  | { readonly kind: 'channel-gone'; readonly channelId: string };

/** Where something may look otherwise than before. */
export type Touched =
  | { readonly kind: 'scope'; readonly scope: string }
  | { readonly kind: 'channel'; readonly channelId: string };
