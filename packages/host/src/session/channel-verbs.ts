import { type ChannelDescriptor, channelsListResult, channelsOpenResult } from '@mcpl-bridges/protocol';
import type { McplWire } from '@mcpl-bridges/transport';
import type { ChannelRegistry } from './channels.js';

/** A channel by its id, or by what its platform calls it (SPEC §14.3). */
export type ChannelTarget =
  | string
  | { readonly type: string; readonly address: Readonly<Record<string, unknown>>; readonly metadata?: object };

const TIMEOUT_MS = 30_000;

/** What a host asks one server of its channels. @throws RequestFailure when the server refuses or does not answer */
export class ChannelVerbs {
  private readonly opening = new Map<string, Promise<string>>();

  constructor(
    private readonly wire: McplWire,
    private readonly channels: ChannelRegistry,
  ) {}

  /** Opens a channel and returns its id; a second call while the first is under way shares its answer. */
  open(target: ChannelTarget): Promise<string> {
    const name = JSON.stringify(target);
    const underWay = this.opening.get(name);
    if (underWay) return underWay;
    const opened = this.ask(target).finally(() => this.opening.delete(name));
    this.opening.set(name, opened);
    return opened;
  }

  private async ask(target: ChannelTarget): Promise<string> {
    const params = typeof target === 'string' ? { channelId: target } : { ...target };
    const answer = await this.wire.request('channels/open', params, { timeoutMs: TIMEOUT_MS });
    // A server that was asked by id may answer less than the schema wants; by address, the id is the answer.
    const id = typeof target === 'string' ? target : channelsOpenResult.parse(answer).channel.id;
    this.channels.markOpen(id);
    return id;
  }

  async close(channelId: string): Promise<void> {
    await this.wire.request('channels/close', { channelId }, { timeoutMs: TIMEOUT_MS });
    this.channels.markClosed(channelId);
  }

  /** What the server says that it has, registered here or not. */
  async list(): Promise<readonly ChannelDescriptor[]> {
    return channelsListResult.parse(await this.wire.request('channels/list', {}, { timeoutMs: TIMEOUT_MS })).channels;
  }
}
