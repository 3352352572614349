import type { FailureCause } from '@mcpl-bridges/transport';
import { paramsOf, type WireForm } from '../occurrence/wire-form.js';
import type { Queued } from './queued.js';
import type { Sender } from './sender.js';
import { resultFor } from './verdict.js';

/** What came back for one occurrence. */
export type OccurrenceAnswer =
  /** `result` is absent where the host answered the request and not for this one. */
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> | undefined; readonly late: boolean }
  /** `isShared`: with others that were in the request. */
  | { readonly kind: 'failed'; readonly cause: FailureCause; readonly isShared: boolean };

interface Departure {
  readonly queued: Queued;
  readonly wire: WireForm;
  readonly answered: (answer: OccurrenceAnswer) => void;
}

/** Most characters of messages in one request; a single one may be longer. */
const MAX_REQUEST_LENGTH = 262_144;

/**
 * Sends what has been recorded. Attempts that were recorded together leave together, in their order, and messages that
 * follow one another share a request.
 */
export class Departures {
  private waiting: Departure[] = [];

  constructor(private readonly sender: Pick<Sender, 'send' | 'maxMessages'>) {}

  add(departure: Departure): void {
    if (this.waiting.push(departure) === 1) queueMicrotask(this.leave);
  }

  private readonly leave = (): void => {
    const leaving = this.waiting;
    this.waiting = [];
    const most = this.sender.maxMessages();
    for (let from = 0; from < leaving.length; ) {
      const to = endOfRequest(leaving, from, most);
      this.send(leaving.slice(from, to) as [Departure, ...Departure[]]);
      from = to;
    }
  };

  private send(departures: [Departure, ...Departure[]]): void {
    const isShared = departures.length > 1;
    const forms = departures.map(({ wire }) => wire) as [WireForm, ...WireForm[]];
    this.sender.send(forms[0].method, paramsOf(forms), (answer) => {
      for (const { queued, wire, answered } of departures) {
        if (answer.kind === 'failed') answered({ ...answer, isShared });
        else {
          const result = resultFor(queued.entry.occurrence, wire, answer.result, !isShared);
          answered({ kind: 'result', result, late: answer.late });
        }
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
