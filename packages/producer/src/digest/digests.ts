import {
  type ContentBlock,
  ErrorCode,
  McplError,
  type PushRenderParams,
  type PushRenderResult,
} from '@mcpl-bridges/protocol';
import { keyInSet } from '../occurrence/wire-form.js';
import type { SubjectPlace } from '../state-subject.js';
import type { Store } from '../store/store.js';
import { Dropped, foldedContent, type Renderer } from './renderer.js';

interface Known {
  readonly place: SubjectPlace;
  readonly key: string;
  readonly renderer: Renderer;
}

const nameOf = (featureSet: string, channelId: string | undefined, key: string): string =>
  JSON.stringify([featureSet, channelId ?? null, key]);

const baselineKey = (name: string): string => `baseline:${name}`;

/**
 * Renders what hosts ask for (RFC-006 §5.2). A source-backed subject is described by one at a time, whoever asks and
 * however long: two renders never describe the same span, and leave none out.
 */
export class Digests {
  private readonly known = new Map<string, Known>();
  private readonly lines = new Map<string, Promise<unknown>>();

  constructor(private readonly store: Store) {}

  add(place: SubjectPlace, key: string, renderer: Renderer): void {
    const known = { place, key, renderer };
    this.known.set(nameOf(place.featureSet, place.channelId, key), known);
    // Where a host has no channel scope, the subject goes by another key in the feature set.
    if (place.channelId !== undefined)
      this.known.set(nameOf(place.featureSet, undefined, keyInSet(place.channelId, key)), known);
  }

  /** @throws McplError -32602 for a subject that nobody has declared: the host shows its fallback */
  async render({ featureSet, channelId, key, notices, dropped }: PushRenderParams): Promise<PushRenderResult> {
    const known = this.known.get(nameOf(featureSet, channelId, key));
    if (!known)
      throw new McplError(ErrorCode.InvalidParams, `Invalid params: there is no digest ${key}`, {
        field: 'key',
        reason: 'names no digest',
      });
    const { renderer } = known;
    const content =
      renderer.kind === 'notices'
        ? foldedContent(renderer.fold(notices, new Dropped(dropped)))
        : await this.describe(nameOf(known.place.featureSet, known.place.channelId, known.key), renderer.describe);
    return { content: [...content] };
  }

  private describe(
    name: string,
    describe: (baseline: unknown) => Promise<{ content: readonly ContentBlock[]; baseline: unknown }>,
  ): Promise<readonly ContentBlock[]> {
    const turn = (this.lines.get(name) ?? Promise.resolve()).then(async () => {
      const before = await this.store.read(baselineKey(name));
      const { content, baseline } = await describe(before);
      await this.store.write([{ key: baselineKey(name), value: baseline }]);
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
