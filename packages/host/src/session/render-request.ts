import { pushRenderResult } from '@mcpl-bridges/protocol';
import type { McplWire } from '@mcpl-bridges/transport';
import type { Batch } from '../core/batch.js';
import type { RenderEnd } from '../core/deferred.js';
import { mayRender, type SessionView } from './admission.js';

/** Asks one server for the content of its batches (RFC-006 §5.2). */
export class RenderRequests {
  private underWay = 0;

  constructor(
    private readonly wire: McplWire,
    private readonly view: () => SessionView,
    /** A host that gives up waiting before the answer comes. */
    private readonly givenUp: boolean,
  ) {}

  /** A server that renders must not ask for an inference meanwhile (RFC-006 §5.3). */
  get any(): boolean {
    return this.underWay > 0;
  }

  /**
   * Authority is judged before and again at the answer (RFC-006 §5.4 rule 4); anything but a usable answer in time is the
   * fallback. A connection that is lost takes no authority with it, and brings none back.
   */
  async ask(batch: Batch, timeoutMs: number): Promise<RenderEnd> {
    const { latest } = batch;
    if (latest.treatment.kind !== 'deferred' || !mayRender(this.view(), latest)) return { kind: 'lapsed' };
    const { featureSet, key, scope } = latest.treatment;
    const params = {
      featureSet,
      ...(scope.kind === 'channel' ? { channelId: scope.channelId } : {}),
      key,
      eventId: latest.eventId,
      notices: [...batch.notices],
      dropped: batch.dropped,
    };
    this.underWay += 1;
    try {
      const result = pushRenderResult.parse(await this.wire.request('push/render', params, { timeoutMs }));
      if (!mayRender(this.view(), latest)) return { kind: 'lapsed' };
      if (this.givenUp) return { kind: 'fallback', why: 'the host had given up waiting' };
      const { content, timestamp } = result;
      return { kind: 'rendered', content, ...(timestamp === undefined ? {} : { timestamp }) };
    } catch (error) {
      return mayRender(this.view(), latest) ? { kind: 'fallback', why: (error as Error).message } : { kind: 'lapsed' };
    } finally {
      this.underWay -= 1;
    }
  }
}
