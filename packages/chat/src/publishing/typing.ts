import type { Time } from '@mcpl-bridges/producer';

/** Platforms forget that somebody types after about ten seconds, ms. */
const REFRESH_MS = 8000;

/** Nobody types longer than this without saying so again, ms. */
const LONGEST_MS = 120_000;

export interface TypingOptions {
  /** Shows that the agent is writing, for about ten seconds; best effort. */
  readonly show: (channelId: string) => Promise<void>;
  readonly time: Time;
}

interface Writing {
  saidAt: number;
  callOff: () => void;
}

/** Shows that the agent is writing for as long as it is. */
export class TypingIndicator {
  private readonly writing = new Map<string, Writing>();

  constructor(private readonly options: TypingOptions) {}

  /** The agent writes, or goes on writing. */
  start(channelId: string): void {
    const underWay = this.writing.get(channelId);
    if (underWay) underWay.saidAt = this.options.time.monotonic();
    else this.show(channelId, this.options.time.monotonic());
  }

  stop(channelId: string): void {
    this.writing.get(channelId)?.callOff();
    this.writing.delete(channelId);
  }

  stopAll(): void {
    for (const channelId of [...this.writing.keys()]) this.stop(channelId);
  }

  private show(channelId: string, saidAt: number): void {
    void this.options.show(channelId);
    const callOff = this.options.time.after(REFRESH_MS, () => {
      const said = this.writing.get(channelId)?.saidAt ?? saidAt;
      if (this.options.time.monotonic() - said < LONGEST_MS) this.show(channelId, said);
      else this.writing.delete(channelId);
    });
    this.writing.set(channelId, { saidAt, callOff });
  }
}
