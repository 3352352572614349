/** Until where a session's events have been dealt with: a later one that is ready first counts only with those before it. */
export class Handled {
  private readonly open = new Set<number>();
  private last: number;

  constructor(seq = 0) {
    this.last = seq;
  }

  /** An event has come. */
  begun(seq: number): void {
    this.open.add(seq);
    this.last = Math.max(this.last, seq);
  }

  /** It was dealt with; a session may be resumed behind it. */
  done(seq: number): void {
    this.open.delete(seq);
  }

  /** The last event with all those before it. */
  get until(): number {
    return this.open.size === 0 ? this.last : Math.min(...this.open) - 1;
  }
}
