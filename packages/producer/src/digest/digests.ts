import {
  type ContentBlock,
  ErrorCode,
  McplError,
  type Notice,
  type PushRenderParams,
  type PushRenderResult,
} from '@mcpl-bridges/protocol';
import type { SubjectPlace } from '../keyed-subject.js';
import type { Log } from '../log.js';
import type { NoticeOccurrence } from '../occurrence/occurrence.js';
import { keyInSet } from '../occurrence/wire-form.js';
import type { RecordWrite } from '../store/store.js';
import type { Time } from '../time.js';
import { Dropped, foldedContent, type Renderer } from './renderer.js';

interface Known {
  readonly name: string;
  readonly renderer: Renderer;
}

export interface DigestContext {
  readonly read: (key: string) => Promise<unknown>;
  readonly write: (records: readonly RecordWrite[]) => Promise<void>;
  readonly time: Time;
  readonly log: Log;
}

/** How long a renderer may take where nobody but the producer itself asks, ms; as long as hosts wait (RFC-006 §5.2). */
const RENDER_TIMEOUT_MS = 5000;

const nameOf = (featureSet: string, channelId: string | undefined, key: string): string =>
  JSON.stringify([featureSet, channelId ?? null, key]);

const noticeOf = ({ eventId, timestamp, data }: NoticeOccurrence): Notice => ({
  eventId,
  timestamp,
  ...(data === undefined ? {} : { data }),
});

const baselineKey = (name: string): string => `baseline:${name}`;

/**
 * Renders digests: for hosts that ask (RFC-006 §5.2), and for those that cannot. A source-backed subject is described by
 * one at a time, whoever asks and however long: two renders never describe the same span, and leave none out.
 */
export class Digests {
  private readonly known = new Map<string, Known>();
  private readonly lines = new Map<string, Promise<unknown>>();

  constructor(private readonly context: DigestContext) {}

  add(place: SubjectPlace, key: string, renderer: Renderer): void {
    const name = nameOf(place.featureSet, place.channelId, key);
    this.known.set(name, { name, renderer });
    // Where a host has no channel scope, the subject goes by another key in the feature set.
    if (place.channelId !== undefined)
      this.known.set(nameOf(place.featureSet, undefined, keyInSet(place.channelId, key)), { name, renderer });
  }

  /** @throws McplError -32602 for a subject that nobody has declared: the host shows its fallback */
  async render({ featureSet, channelId, key, notices, dropped }: PushRenderParams): Promise<PushRenderResult> {
    const known = this.known.get(nameOf(featureSet, channelId, key));
    if (!known)
      throw new McplError(ErrorCode.InvalidParams, `Invalid params: there is no digest ${key}`, {
        field: 'key',
        reason: 'names no digest',
      });
    return { content: [...(await this.contentOf(known, notices, dropped))] };
  }

  /** What stands for `notices`, oldest first, where no host asks: the render, or the last one's fallback. */
  async summarise(notices: readonly NoticeOccurrence[]): Promise<readonly ContentBlock[]> {
    const last = notices.at(-1);
    if (!last) return [];
    const known = this.known.get(nameOf(last.featureSet, last.channelId, last.key));
    if (!known) return last.content;
    const { time, log } = this.context;
    let callOff = (): void => {};
    const late = new Promise<never>((_, reject) => {
      callOff = time.after(RENDER_TIMEOUT_MS, () => reject(new Error(`no content after ${RENDER_TIMEOUT_MS} ms`)));
    });
    try {
      return await Promise.race([this.contentOf(known, notices.map(noticeOf), 0), late]);
    } catch (error) {
      log.warn(
        { key: last.key, reason: (error as Error).message },
        'a digest could not be rendered: its fallback is sent',
      );
      return last.content;
    } finally {
      callOff();
    }
  }

  private async contentOf(
    { name, renderer }: Known,
    notices: readonly Notice[],
    dropped: number,
  ): Promise<readonly ContentBlock[]> {
    return renderer.kind === 'notices'
      ? foldedContent(renderer.fold(notices, new Dropped(dropped)))
      : this.describe(name, renderer.describe);
  }

  private describe(
    name: string,
    describe: (baseline: unknown) => Promise<{ content: readonly ContentBlock[]; baseline: unknown }>,
  ): Promise<readonly ContentBlock[]> {
    const turn = (this.lines.get(name) ?? Promise.resolve()).then(async () => {
      const before = await this.context.read(baselineKey(name));
      const { content, baseline } = await describe(before);
      await this.context.write([{ key: baselineKey(name), value: baseline }]);
      return content;
    });
    // One that fails has moved nothing; the next one starts where it did.
    const line = turn
      .catch(() => undefined)
      .finally(() => {
        if (this.lines.get(name) === line) this.lines.delete(name);
      });
    this.lines.set(name, line);
    return turn;
  }
}
