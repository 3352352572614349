import { join } from 'node:path';
import {
  type Callers,
  PresenceFeed,
  PresenceProjection,
  PresenceService,
  type Roster,
  SharedPresence,
  type Signal,
  SubjectRefs,
} from '@mcpl-bridges/presence';
import { nanoid } from 'nanoid';
import type { Logger } from 'pino';
import type { ChatBridge } from '../bridge.js';
import type { BridgeObserver } from '../bridge-options.js';
import { oneLine } from '../render/quoting.js';
import { ConfigError } from './errors.js';
import { isLoopback } from './loopback.js';
import { keptKey } from './presence-key.js';
import { checkPresence, formIn, type PresenceConfig } from './presence-settings.js';
import { readTokens } from './presence-tokens.js';
import { type StoreOwner, stateFolder } from './store.js';
import { WatchedFile } from './watched-file.js';

/** A platform, as far as it tells who is where. */
export interface PresenceSource {
  readonly roster: Roster;
  /** What the agent's own account is called. */
  readonly selfName: string;
  /** Whether anything is told now. */
  readonly tells: boolean;
  /** Somebody has said something, for platforms that know nobody but those who do. */
  heard?(channelId: string, userId: string, name: string): void;
  /** Tells `feed` from now on. To be called once, before the platform is connected to. */
  start(feed: PresenceFeed): void;
}

export interface BridgePresenceOptions {
  readonly config: PresenceConfig;
  readonly platformName: string;
  readonly serverName: string;
  readonly version: string;
  readonly owner: StoreOwner;
  readonly source: PresenceSource;
  /** The platform's own id of a channel, by which it is configured. */
  readonly laneOf: (channelId: string) => string;
  readonly log: Logger;
}

const MAX_NAME = 40;

/** Only one word cannot be taken for anything but a name, in a line that says who did what. */
const presenceName = (name: string): string => {
  const line = oneLine(name, MAX_NAME);
  return /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.'-]*$/u.test(line) ? line : `"${line.replaceAll('"', "'")}"`;
};

/** Who is here, for the agent and for whoever asks over HTTP. */
export class BridgePresence {
  private readonly feed: PresenceFeed;
  private readonly key: Uint8Array;
  private readonly callers: WatchedFile<Callers> | undefined;
  private projection: PresenceProjection | undefined;
  private service: PresenceService | undefined;
  private shared: SharedPresence | undefined;

  /** @throws ConfigError */
  constructor(private readonly options: BridgePresenceOptions) {
    const { config, owner, source } = options;
    checkPresence(config);
    this.key =
      config.presenceKey === undefined
        ? keptKey(join(stateFolder(owner.program), owner.account, 'presence.key'))
        : Buffer.from(config.presenceKey);
    this.feed = new PresenceFeed({
      roster: source.roster,
      debounceMs: config.presenceDebounceMs,
      onSignal: (signal) => this.share(signal),
    });
    this.callers = this.watchTokens();
  }

  /** What the bridge sees that says who is here. */
  readonly observer: BridgeObserver = {
    heard: ({ channelId, author: { id, name } }) => {
      this.options.source.heard?.(channelId, id, name);
      this.feed.tell({ kind: 'spoke', channelId, userId: id });
    },
    writes: (channelId) => {
      const userId = this.options.source.roster.selfId;
      if (userId !== undefined) this.feed.tell({ kind: 'typing', channelId, userId });
    },
    opened: (channelId) => this.projection?.begin(channelId),
    closed: (channelId) => this.projection?.end(channelId),
  };

  /** Tells the agent of `bridge`, and serves whoever asks. @throws ConfigError for an address that cannot be had */
  async start(bridge: ChatBridge): Promise<void> {
    const { config, source, laneOf, log } = this.options;
    this.projection = new PresenceProjection({
      feed: this.feed,
      // Other than those that are served: what a store has kept of an agent's says nothing of anybody there.
      refs: this.refs('subject'),
      shown: presenceName,
      channel: (id) => bridge.producer.channel(id),
      recall: (key) => bridge.producer.recall(key),
      formOf: (channelId) => formIn(config.presence, laneOf(channelId)),
      log,
    });
    await this.joinOthers();
    source.start(this.feed);
    await this.serve();
  }

  async close(): Promise<void> {
    this.callers?.stop();
    await this.service?.close();
    await this.shared?.close();
    await this.projection?.idle();
    this.feed.close();
  }

  private async serve(): Promise<void> {
    const { config, serverName: name, version, source, log } = this.options;
    const { presenceListen: address, presenceSeams, presenceRefs } = config;
    const { callers } = this;
    if (!address || !callers) return;
    try {
      this.service = await PresenceService.start({
        ...address,
        name,
        version,
        feed: this.feed,
        refs: this.refs('served', presenceRefs === 'raw'),
        callers: () => callers.current,
        isAgent: (userId) => this.shared?.isAgent(userId) ?? false,
        emits: () => source.tells,
        seams: presenceSeams === 'on',
        log,
      });
    } catch (error) {
      throw new ConfigError(`MCPL_PRESENCE_LISTEN: ${(error as Error).message}; use another address`);
    }
    log.info({ port: this.service.port }, 'presence is served');
    if (presenceSeams === 'on')
      log.warn({}, 'samples of presence are served, too: they are for tests, not for production');
    // Plain HTTP beyond this machine shows tokens to everybody on the way.
    if (!isLoopback(address.host))
      log.warn({ host: address.host }, 'presence is served beyond this machine, and not encrypted: put TLS in front');
  }

  /** Tells other instances who is here, and hears it from them. @throws ConfigError */
  private async joinOthers(): Promise<void> {
    const { config, source, platformName, log } = this.options;
    if (config.presenceRedis === undefined) return;
    const { roster } = source;
    try {
      this.shared = await SharedPresence.open({
        url: config.presenceRedis,
        binding: platformName,
        feed: this.feed,
        instanceId: nanoid(),
        self: () =>
          source.tells && roster.selfId !== undefined ? { id: roster.selfId, name: source.selfName } : undefined,
        met: (channelId, userId, name) => source.heard?.(channelId, userId, name),
        log,
      });
    } catch (error) {
      throw new ConfigError(`MCPL_PRESENCE_REDIS: ${(error as Error).message}`);
    }
    this.shared.announce();
  }

  private share(signal: Signal): void {
    if (!this.shared) return;
    const { roster } = this.options.source;
    // In a new session it is elsewhere, or back.
    if (signal.kind === 'census') this.shared.announce();
    if (signal.kind !== 'typing' && signal.kind !== 'spoke') return;
    const { kind, channelId, userId } = signal;
    this.shared.tell({ kind, channelId, userId, name: roster.nameOf(channelId, userId) ?? '' });
  }

  private watchTokens(): WatchedFile<Callers> | undefined {
    const { presenceListen, presenceTokens: tokens } = this.options.config;
    if (!presenceListen || !tokens) return undefined;
    return new WatchedFile({
      path: tokens.path,
      what: 'the tokens of presence',
      read: () => readTokens(tokens),
      log: this.options.log,
      onChange: () => this.service?.look(),
    });
  }

  private refs(use: string, raw = false): SubjectRefs {
    return new SubjectRefs({ key: this.key, platform: this.options.platformName, use, raw });
  }
}
