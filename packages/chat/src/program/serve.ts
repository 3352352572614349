import { doneWithin, PendingStore, systemTime } from '@mcpl-bridges/producer';
import type { Logger } from 'pino';
import { ChatBridge } from '../bridge.js';
import type { BridgeOptions } from '../bridge-options.js';
import type { Heritage } from '../heritage.js';
import { FileRoot } from '../tools/files.js';
import type { BridgeConfig } from './bridge-settings.js';
import { ConfigError } from './errors.js';
import type { Serving } from './flags.js';
import { greet, listen, requireToken } from './hosts.js';
import { BridgePresence, type PresenceSource } from './presence.js';
import { wantsPresence } from './presence-settings.js';
import { openBridgeStore, type StoreOwner } from './store.js';

/** A connection to a platform. */
export interface PlatformConnection {
  /** How the bridge works on it. */
  readonly options: Omit<BridgeOptions, 'store' | 'log' | 'files' | 'onTakenOver' | 'observer'>;
  /** Where anybody is to be told who is where. */
  readonly presence?: PresenceSource;
  /** Another program's memory, for a store that is new. */
  readonly heritage?: Heritage;
  /** Starts to deliver to `bridge`. Does not wait for the platform. */
  start(bridge: ChatBridge): void;
  close(): Promise<void>;
}

export interface Service {
  readonly config: BridgeConfig;
  readonly serving: Serving;
  readonly owner: StoreOwner;
  readonly log: Logger;
  /** @param fail ends the program: the platform will never let it in */
  readonly connect: (fail: (error: Error) => void) => PlatformConnection;
}

/** Runs a bridge until its host is gone (stdio), it is asked to stop, or it cannot go on. @throws Error why it cannot */
export const serve = async ({ config, serving, owner, log, connect }: Service): Promise<void> => {
  if (serving.kind === 'listen') requireToken(serving.host, config.listenToken);
  const files = config.filesRoot && (await openFileRoot(config.filesRoot));
  const end = new AbortController();
  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure = error;
    end.abort();
  };
  const connection = connect(fail);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());
  const presence = presenceOf(connection, { config, owner, log });
  const opening = openBridgeStore(config.store, owner, { log, signal: end.signal });
  const ended = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
  const bridge = new ChatBridge({
    ...connection.options,
    ...(files ? { files } : {}),
    ...(presence ? { observer: presence.observer } : {}),
    store: new PendingStore(opening),
    log,
    onTakenOver: (reason) => fail(new Error(reason)),
  });
  try {
    if (serving.kind === 'stdio') await greet(bridge, () => end.abort());
    // Another instance may have the store for as long as it lives.
    await Promise.race([opening, ended]);
    if (!end.signal.aborted) {
      await bridge.open(connection.heritage);
      const listening = serving.kind === 'stdio' ? undefined : await listen(bridge, serving, config, log);
      await presence?.start(bridge);
      connection.start(bridge);
      await ended;
      await listening?.close();
    }
  } finally {
    await inTime(connection.close(), 'the platform', log);
    if (presence) await inTime(presence.close(), 'presence', log);
    await inTime(bridge.close(), 'the store', log);
  }
  if (failure) throw failure;
};

const presenceOf = (
  { options, presence: source }: PlatformConnection,
  { config, owner, log }: Pick<Service, 'config' | 'owner' | 'log'>,
): BridgePresence | undefined => {
  if (!source || !wantsPresence(config)) return undefined;
  const { platformName, serverName, version, laneOf } = options;
  return new BridgePresence({ config, platformName, serverName, version, owner, source, laneOf, log });
};

/** Hosts kill what has not ended two seconds after they closed its input; what is stored is safe either way. */
const CLOSING_MS = 800;

const inTime = async (closing: Promise<void>, what: string, log: Logger): Promise<void> => {
  if (!(await doneWithin(systemTime, CLOSING_MS, closing)))
    log.warn({ what, afterMs: CLOSING_MS }, 'did not close in time; ending without it');
};

const openFileRoot = async ({ path, from }: NonNullable<BridgeConfig['filesRoot']>): Promise<FileRoot> => {
  try {
    return await FileRoot.at(path);
  } catch (error) {
    throw new ConfigError(`${from} names ${path}, which is no folder: ${(error as Error).message}`);
  }
};
