interface Waiting {
  readonly id: string;
  /** ms, monotonic. */
  readonly at: number;
}

interface Line {
  readonly afterMs: number;
  waiting: Waiting[];
  head: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Deadlines of requests, one timer for all that wait equally long: those end in the order in which they began. What has
 * been settled is let go as it comes to the front, so that a line is as long as what is under way.
 */
export class Deadlines {
  private readonly lines = new Map<number, Line>();

  constructor(
    private readonly isOpen: (id: string) => boolean,
    private readonly expire: (id: string, afterMs: number) => void,
  ) {}

  add(id: string, afterMs: number): void {
    const line = this.lines.get(afterMs) ?? { afterMs, waiting: [], head: 0, timer: undefined };
    this.lines.set(afterMs, line);
    this.trim(line);
    line.waiting.push({ id, at: performance.now() + afterMs });
    line.timer ??= setTimeout(() => this.look(line), afterMs);
  }

  clear(): void {
    for (const { timer } of this.lines.values()) clearTimeout(timer);
    this.lines.clear();
  }

  private trim(line: Line): void {
    for (let first = line.waiting[line.head]; first && !this.isOpen(first.id); first = line.waiting[line.head])
      line.head += 1;
    if (line.head < 256 && line.head < line.waiting.length) return;
    line.waiting = line.waiting.slice(line.head);
    line.head = 0;
  }

  private look(line: Line): void {
    line.timer = undefined;
    this.trim(line);
    // A timer may come a little early by this clock.
    for (
      let first = line.waiting[line.head];
      first && first.at <= performance.now() + 1;
      first = line.waiting[line.head]
    ) {
      line.head += 1;
      if (this.isOpen(first.id)) this.expire(first.id, line.afterMs);
    }
    const next = line.waiting[line.head];
    if (next) line.timer = setTimeout(() => this.look(line), Math.max(1, next.at - performance.now()));
  }
}
