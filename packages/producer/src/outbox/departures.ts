import type { FailureCause } from '@mcpl-bridges/transport';
import { paramsOf, type WireForm } from '../occurrence/wire-form.js';
import type { AttemptClock } from '../store/store.js';
import type { Queued } from './queued.js';
import type { Sender } from './sender.js';
import { resultsFor } from './verdict.js';

/** What came back for one occurrence. */
export type OccurrenceAnswer =
  /** `result` is absent where the host answered the request and not for this one. */
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> | undefined; readonly late: boolean }
  /** `isShared`: with others that were in the request. */
  | { readonly kind: 'failed'; readonly cause: FailureCause; readonly isShared: boolean };

/** An attempt that is recorded, and waits for room. */
export interface Departure {
  readonly queued: Queued;
  readonly wire: WireForm;
  readonly clock: AttemptClock;
  /** When the store was asked to record it; monotonic, ms. */
  readonly asked: number;
  readonly owner: DepartureOwner;
}

export interface DepartureOwner {
  /** Whether it may still leave; who says no takes it back. */
  mayLeave(departure: Departure): boolean;
  answered(departure: Departure, answer: OccurrenceAnswer): void;
}

/** Most characters of messages in one request; a single one may be longer. */
const MAX_REQUEST_LENGTH = 262_144;

/**
 * Sends what has been recorded, as long as the host has no more than `inFlight` occurrences to answer for. Those that
 * were recorded together leave together, in their order, and messages that follow one another share a request.
 */
export class Departures {
  private waiting: Departure[] = [];
  private underWay = 0;
  private scheduled = false;

  constructor(
    private readonly sender: Pick<Sender, 'send' | 'maxMessages'>,
    private readonly inFlight: number,
  ) {}

  add(departure: Departure): void {
    this.waiting.push(departure);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.waiting.length === 0 || this.underWay >= this.inFlight) return;
    this.scheduled = true;
    queueMicrotask(this.leave);
  }

  private readonly leave = (): void => {
    this.scheduled = false;
    const leaving = this.waiting.splice(0, this.inFlight - this.underWay).filter((one) => one.owner.mayLeave(one));
    const most = this.sender.maxMessages();
    for (let from = 0; from < leaving.length; ) {
      const to = endOfRequest(leaving, from, most);
      this.send(leaving.slice(from, to) as [Departure, ...Departure[]]);
      from = to;
    }
    this.schedule();
  };

  private send(departures: [Departure, ...Departure[]]): void {
    const isShared = departures.length > 1;
    const forms = departures.map(({ wire }) => wire) as [WireForm, ...WireForm[]];
    this.underWay += departures.length;
    this.sender.send(forms[0].method, paramsOf(forms), (answer) => {
      if (answer.kind === 'failed' || !answer.late) {
        this.underWay -= departures.length;
        this.schedule();
      }
      if (answer.kind === 'failed') {
        for (const departure of departures) departure.owner.answered(departure, { ...answer, isShared });
        return;
      }
      const occurrences = departures.map(({ queued }) => queued.entry.occurrence);
      for (const [i, result] of resultsFor(occurrences, forms[0].method, answer.result).entries()) {
        const departure = departures[i] as Departure;
        departure.owner.answered(departure, { kind: 'result', result, late: answer.late });
      }
    });
  }
}

const endOfRequest = (leaving: readonly Departure[], from: number, most: number): number => {
  const first = leaving[from] as Departure;
  let to = from + 1;
  if (first.wire.method !== 'channels/incoming' || first.queued.goesAlone) return to;
  for (let length = first.wire.body.length; to - from < most; to++) {
    const next = leaving[to];
    if (!next || next.queued.goesAlone || next.wire.method !== first.wire.method) return to;
    length += next.wire.body.length;
    if (length > MAX_REQUEST_LENGTH || next.wire.coalesced !== first.wire.coalesced) return to;
  }
  return to;
};
