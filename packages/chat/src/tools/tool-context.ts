import type { Backscroll } from '../backscroll.js';
import type { ChatPlatform } from '../platform.js';
import type { Delivery } from '../publishing/outgoing.js';
import type { Post } from '../publishing/poster.js';
import type { Missed } from '../reconcile/channel-memory.js';
import type { TellTime } from '../render/times.js';
import type { ChannelDirectory } from './channel-directory.js';
import type { FileRoot } from './files.js';

/** What the agent hears, and what it wants to hear. */
interface Attention {
  isMuted(channelId: string): boolean;
  /** @returns whether that changed anything */
  setMuted(channelId: string, isMuted: boolean): Promise<boolean>;
  isOpen(channelId: string): Promise<boolean>;
  missed(channelId: string): Promise<Missed | undefined>;
  setReactions(channelId: string, visible: boolean): Promise<void>;
  /** Hears all of a channel though the host has not opened it, until it closes it. */
  subscribe(channelId: string): Promise<void>;
  unsubscribe(channelId: string): Promise<void>;
  isSubscribed(channelId: string): boolean;
}

/** What tools work with. */
export interface ToolContext {
  readonly platform: ChatPlatform;
  readonly channels: ChannelDirectory;
  readonly tellTime: TellTime;
  readonly post: (post: Post) => Promise<Delivery>;
  readonly backscroll: Pick<Backscroll, 'read'>;
  readonly attention: Attention;
  readonly files?: FileRoot;
}
