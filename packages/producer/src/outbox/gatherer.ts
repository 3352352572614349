import type { ContentBlock } from '@mcpl-bridges/protocol';
import type { NoticeOccurrence, StateOccurrence } from '../occurrence/occurrence.js';
import type { Time } from '../time.js';
import type { Queued } from './queued.js';

/** For how long notices are gathered before they are told to a host that cannot ask for a render. */
export interface GatherLimits {
  /** Nothing more has come for this long, ms. */
  readonly quietMs: number;
  /** The first one has waited this long, ms. */
  readonly maxMs: number;
}

interface Gathering {
  readonly head: Queued;
  readonly since: number;
  last: number;
  callOff: () => void;
}

/** Notices that wait until their subject is quiet; a timer a subject, while there is something to tell of it. */
export class Gatherer {
  private readonly gatherings = new Map<string, Gathering>();

  /** @param ripe called when the time of a subject has come */
  constructor(
    private readonly time: Time,
    private readonly limits: GatherLimits,
    private readonly ripe: (head: Queued) => void,
  ) {}

  hold(head: Queued): void {
    const now = this.time.monotonic();
    const gathering: Gathering = { head, since: now, last: now, callOff: () => {} };
    this.gatherings.set(head.subject, gathering);
    this.wait(gathering, now);
  }

  /** Another notice has come. */
  heard(subject: string): void {
    const gathering = this.gatherings.get(subject);
    if (gathering) gathering.last = this.time.monotonic();
  }

  /** Lets all go that are held: perhaps they need not be any more. */
  release(): Queued[] {
    const held = [...this.gatherings.values()];
    this.gatherings.clear();
    for (const { callOff } of held) callOff();
    return held.map(({ head }) => head);
  }

  /** Lets one go that is no more. */
  drop(head: Queued): boolean {
    const gathering = this.gatherings.get(head.subject);
    if (gathering?.head !== head) return false;
    gathering.callOff();
    return this.gatherings.delete(head.subject);
  }

  private wait(gathering: Gathering, now: number): void {
    const { quietMs, maxMs } = this.limits;
    const due = Math.min(gathering.last + quietMs, gathering.since + maxMs);
    gathering.callOff = this.time.after(Math.max(0, due - now), () => this.look(gathering));
  }

  private look(gathering: Gathering): void {
    const { quietMs, maxMs } = this.limits;
    const now = this.time.monotonic();
    if (now < Math.min(gathering.last + quietMs, gathering.since + maxMs)) {
      this.wait(gathering, now);
      return;
    }
    this.gatherings.delete(gathering.head.subject);
    this.ripe(gathering.head);
  }
}

/** What is sent in the place of `notices`, oldest first: a state that says by itself what there is to say. */
export const summaryOf = (
  notices: readonly [NoticeOccurrence, ...NoticeOccurrence[]],
  content: readonly ContentBlock[],
): StateOccurrence => {
  const first = notices[0];
  const { data: _data, ...last } = notices.at(-1) as NoticeOccurrence;
  const tags = [...new Set(notices.flatMap((notice) => notice.tags))];
  return { ...last, kind: 'state', action: 'set', initial: first.initial, content, tags };
};
