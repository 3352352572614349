import { TransientMap } from '@mcpl-bridges/transient-map';
import type { Queued } from './queued.js';
import { ReadyList } from './ready-list.js';

/** A channel's occurrences, a line for each subject; the first of every line may be ready. */
export class SubjectLines {
  private readonly lines = new TransientMap<string, Queued[]>();
  readonly ready = new ReadyList<Queued>();

  line(subject: string): readonly Queued[] {
    return this.lines.get(subject) ?? [];
  }

  all(): Queued[] {
    return this.lines.values().flat();
  }

  add(queued: Queued): void {
    const line = this.lines.get(queued.subject);
    if (line) line.push(queued);
    else {
      this.lines.set(queued.subject, [queued]);
      this.ready.add(queued);
    }
  }

  /** Takes an occurrence out; its subject's next one is ready. */
  remove(queued: Queued): void {
    const { subject } = queued;
    const line = this.lines.get(subject);
    const at = line?.indexOf(queued) ?? -1;
    if (!line || at === -1) return;
    if (at === 0 && !queued.underWay) this.ready.remove(queued);
    if (line.length === 1) {
      this.lines.delete(subject);
      return;
    }
    line.splice(at, 1);
    if (at === 0) this.ready.add(line[0] as Queued);
  }
}
