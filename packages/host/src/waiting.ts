import type { Host } from './host.js';
import type { HostSession } from './session/host-session.js';
import type { OccurrenceReport } from './session/inbox.js';

/** How long to wait for something that should be about to happen, ms. */
const PATIENCE_MS = 15_000;

const within = <T>(promise: Promise<T>, what: string, ms = PATIENCE_MS): Promise<T> => {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen within ${ms / 1000} s`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/** Every occurrence a host has decided about, for those who ask before it comes and those who ask after. */
export class OccurrenceReports {
  readonly all: OccurrenceReport[] = [];
  private readonly waiting = new Map<string, ((report: OccurrenceReport) => void)[]>();

  constructor(host: Host) {
    host.on('occurrence', (report) => {
      this.all.push(report);
      for (const resolve of this.waiting.get(report.eventId) ?? []) resolve(report);
      this.waiting.delete(report.eventId);
    });
  }

  /** The first report of an occurrence. @throws when it does not come within fifteen seconds */
  of(eventId: string): Promise<OccurrenceReport> {
    const known = this.all.find((report) => report.eventId === eventId);
    if (known) return Promise.resolve(known);
    return within(
      new Promise((resolve) => this.waiting.set(eventId, [...(this.waiting.get(eventId) ?? []), resolve])),
      `occurrence ${eventId}`,
    );
  }
}

/** Resolves when `session` has registered a channel. @throws when it does not within fifteen seconds */
export const whenRegistered = (host: Host, session: HostSession, channelId: string): Promise<void> =>
  within(
    new Promise((resolve) => {
      const look = (): void => {
        if (!session.channels.has(channelId)) return;
        host.off('channels', look);
        resolve();
      };
      host.on('channels', look);
      look();
    }),
    `the registration of ${channelId}`,
  );
