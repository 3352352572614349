import { silentLog } from '@mcpl-bridges/producer';
import { checkPresence, type PresenceConfig } from './presence-settings.js';
import { readTokens } from './presence-tokens.js';
import { openBridgeStore, type StoreOwner } from './store.js';

/** What `--check` finds, a line each. */
export class Checks {
  private well = true;

  constructor(private readonly say: (line: string) => void) {}

  /** Whether all is well so far. */
  get passed(): boolean {
    return this.well;
  }

  report(ok: boolean, line: string): void {
    this.well &&= ok;
    this.say(`${ok ? 'ok     ' : 'MISSING'} ${line}`);
  }

  /** Something that does not stop the bridge. */
  note(line: string): void {
    this.say(`note   ${line}`);
  }

  /** Reports only a failure. */
  tried(what: string, attempt: () => void): void {
    try {
      attempt();
    } catch (error) {
      this.report(false, `${what}: ${(error as Error).message}`);
    }
  }

  presence(config: PresenceConfig): void {
    this.tried('presence', () => {
      checkPresence(config);
      if (config.presenceListen && config.presenceTokens) readTokens(config.presenceTokens);
    });
  }

  async store(store: string, owner: StoreOwner): Promise<void> {
    const waiting = new AbortController();
    const log = { ...silentLog, warn: (_: object, sentence: string) => this.note(sentence) };
    try {
      const opened = await openBridgeStore(store, owner, {
        log,
        signal: waiting.signal,
        onStandby: () => waiting.abort(),
      });
      await opened.close();
      this.report(true, 'store');
    } catch (error) {
      if (waiting.signal.aborted) this.report(true, 'store; another instance is active, and this one would stand by');
      else this.report(false, `store: ${(error as Error).message}`);
    }
  }
}
