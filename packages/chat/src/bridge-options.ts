import type { Log, Store, Time } from '@mcpl-bridges/producer';
import type { FeatureSet } from '@mcpl-bridges/protocol';
import type { InlineLimits } from './attachments.js';
import type { LoopGuardLimits } from './attention/loop-guard.js';
import type { SourceHeaderPolicy } from './attention/source-header.js';
import type { BackscrollLimits } from './backscroll.js';
import type { Circumstances, OtherBots } from './ledger.js';
import type { Locus } from './locus.js';
import type { ChatMessage } from './message.js';
import type { ChatPlatform } from './platform.js';
import type { ReconcileLimits } from './reconcile/reconciler.js';
import type { TellTime } from './render/times.js';
import type { FileRoot } from './tools/files.js';
import type { ChatTool } from './tools/tool.js';
import type { ToolContext } from './tools/tool-context.js';

/** What a platform tells of. */
export interface Hearing {
  /** Resolves when everything that is said in a channel from now on will be told. @throws Error where that cannot be had */
  begin(channelId: string): Promise<void>;
  /** What is said in a channel need not be told any more. */
  end(channelId: string): void;
}

/** Sees what happens in a bridge, as it happens. */
export interface BridgeObserver {
  /** Somebody has said something just now. */
  heard(message: ChatMessage): void;
  /** The agent writes. */
  writes(channelId: string): void;
  /** The host has opened a channel. */
  opened(channelId: string): void;
  closed(channelId: string): void;
}

export interface BridgeOptions {
  /** Server name, and first part of every occurrence id and feature set, e.g. `discord`. */
  readonly platformName: string;
  readonly serverName: string;
  readonly version: string;
  readonly featureSets: Readonly<Record<string, FeatureSet>>;
  readonly platform: ChatPlatform;
  readonly store: Store;
  /** The lane that a channel's events are received in. */
  readonly laneOf: (channelId: string) => string;
  readonly log: Log;
  /** At most 25 characters, never the same twice. */
  readonly newNonce: () => string;
  /** Whether ambient talk of channels the host has not opened is delivered. Default `addressed`: it is not. */
  readonly closedDelivery?: Circumstances['closedDelivery'];
  /** Whether the agent hears what the platform itself says, such as who joined. Default: it does not. */
  readonly platformEvents?: boolean;
  /** Whether previews of links are shown in messages that were not sent yet. Default: they are not. */
  readonly linkPreviews?: boolean;
  /** Which messages of other bots are delivered. Default all. */
  readonly otherBots?: OtherBots;
  /** How long bots may keep the agent awake. */
  readonly loopGuard?: Partial<LoopGuardLimits>;
  /** When messages say where they were said. Default `changes`. */
  readonly sourceHeader?: SourceHeaderPolicy;
  /** How instants are written. Default `2026-01-15 04:34 UTC`. */
  readonly tellTime?: TellTime;
  /** Whether the agent hears of reactions in a channel where it has not said so itself. Default: it does not. */
  readonly reactionsIn?: (channelId: string) => boolean;
  /** How much of a channel's past may be read. */
  readonly backscroll?: Partial<BackscrollLimits>;
  /** ms since the Unix epoch. */
  readonly now?: () => number;
  readonly time?: Time;
  readonly policyTimeoutMs?: number;
  /** For hosts without MCPL that take channel notifications; absent: they get tools only. */
  readonly notificationInstructions?: string;
  /** The tools that only this platform has. */
  readonly tools?: (context: ToolContext) => readonly ChatTool[];
  /** What the agent may send of the files on this machine. Default: nothing. */
  readonly files?: FileRoot;
  /** How much of files is shown. */
  readonly inline?: Partial<InlineLimits>;
  /** Whether a channel that nothing is known of was made while nobody listened. Default: none was. */
  readonly isNewChannel?: (locus: Locus) => Promise<boolean>;
  /** Whether a channel that no host ever said anything of counts as open. Default: none does. */
  readonly isOpenAtFirst?: (channelId: string) => boolean;
  /** Whether edits are counted, as the platform has no revisions. Default: it has. */
  readonly countsRevisions?: boolean;
  /** For platforms that tell only of channels that they are asked to tell of. */
  readonly hearing?: Hearing;
  /** The host has answered for a message: it has it now, or nobody will. */
  readonly onDelivered?: (message: ChatMessage, isOpen: boolean) => void;
  /** How much of what was missed is caught up with. */
  readonly reconcile?: Partial<ReconcileLimits>;
  readonly observer?: BridgeObserver;
  /** Another instance works with the store now: this one takes nothing in any more, and should end. */
  readonly onTakenOver?: (reason: string) => void;
}
