import {
  type CapabilityPath,
  type ChannelsAcknowledgeResult,
  type ContentBlock,
  channelsAcknowledgeResult,
} from '@mcpl-bridges/protocol';
import type { McplWire } from '@mcpl-bridges/transport';
import { requireCapability, type SessionView } from '../session/admission.js';
import type { ChannelRegistry } from '../session/channels.js';
import { judgeAnswer, judgeFailure, type Place, type PublishOutcome, placeProblem } from './publish-outcome.js';

export interface Post {
  readonly channelId: string;
  readonly content: readonly ContentBlock[];
  readonly threadId?: Place;
  readonly conversationId?: string | undefined;
}

/** A piece of text on its way to a channel while the model still writes (SPEC §14.3). */
export interface Chunk {
  readonly inferenceId: string;
  readonly conversationId: string;
  readonly channelId: string;
  readonly threadId?: Place;
  readonly index: number;
  readonly delta: string;
}

const DELIVERY_TIMEOUT_MS = 30_000;

/** What the host sends to one server's channels. Nothing goes where it may not, and nothing that was not granted. */
export class Outgoing {
  constructor(
    private readonly wire: McplWire,
    private readonly channels: ChannelRegistry,
    private readonly view: () => SessionView,
  ) {}

  /** As a Request, so that it is known what became of it (SPEC §14.3). */
  async publish(post: Post): Promise<PublishOutcome> {
    const reason = this.problem('channels.publish', post.channelId, post.threadId);
    if (reason !== undefined) return { kind: 'refused', reason };
    try {
      const answer = await this.wire.request('channels/publish', publishParams(post), {
        timeoutMs: DELIVERY_TIMEOUT_MS,
      });
      return judgeAnswer(post.threadId, answer);
    } catch (error) {
      return judgeFailure(error as Error);
    }
  }

  /** As a Notification; it cannot ask for a place, which nobody could confirm (RFC-011 §4). */
  publishUnconfirmed(post: Omit<Post, 'threadId'>): PublishOutcome {
    const reason = this.problem('channels.publish', post.channelId, undefined);
    if (reason !== undefined) return { kind: 'refused', reason };
    this.wire.notify('channels/publish', publishParams(post));
    return { kind: 'sent' };
  }

  /** Whether text for this place may be shown while it is written. */
  mayStream(channelId: string, place: Place): boolean {
    return this.problem('channels.streaming', channelId, place) === undefined && this.mayPublish(channelId, place);
  }

  chunk(chunk: Chunk): void {
    this.wire.notify('channels/outgoing/chunk', { ...chunk });
  }

  /** Ends a stream with its whole text, whatever became of the inference (SPEC §14.3). */
  complete({ index: _index, delta: _delta, ...stream }: Chunk, text: string): void {
    this.wire.notify('channels/outgoing/complete', { ...stream, content: [{ type: 'text', text }] });
  }

  /** Best effort; a server without the grant is not told. */
  typing(channelId: string, op: 'start' | 'stop'): void {
    if (this.problem('channels.typing', channelId, undefined) === undefined)
      this.wire.notify('channels/typing', { channelId, op });
  }

  /** @throws RequestFailure when the server refuses or does not answer */
  async acknowledge(channelId: string, messageId: string, value?: string): Promise<ChannelsAcknowledgeResult> {
    const reason = this.problem('channels.acknowledge', channelId, undefined);
    if (reason !== undefined) return { acknowledged: false, reason };
    const params = { channelId, messageId, ...(value === undefined ? {} : { value }) };
    const answer = await this.wire.request('channels/acknowledge', params, { timeoutMs: DELIVERY_TIMEOUT_MS });
    return channelsAcknowledgeResult.parse(answer);
  }

  private mayPublish(channelId: string, place: Place): boolean {
    return this.problem('channels.publish', channelId, place) === undefined;
  }

  private problem(capability: CapabilityPath, channelId: string, place: Place): string | undefined {
    const descriptor = this.channels.get(channelId);
    if (!descriptor) return `the server has not registered ${channelId}`;
    try {
      const grant = requireCapability(this.view(), capability);
      if (!grant.allowsChannel(channelId)) return `${channelId} is not permitted`;
    } catch {
      return `${capability} is not granted`;
    }
    return placeProblem(descriptor, place);
  }
}

const publishParams = ({ channelId, content, threadId, conversationId }: Post): Record<string, unknown> => ({
  ...(conversationId === undefined ? {} : { conversationId }),
  channelId,
  ...(threadId === undefined ? {} : { threadId }),
  content,
});
