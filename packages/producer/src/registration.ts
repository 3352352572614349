import type { ChannelDescriptor, DescriptorResult } from '@mcpl-bridges/protocol';
import { ChannelTable } from './channel-table.js';
import type { Log } from './log.js';
import type { Session } from './session/session.js';

export interface RegistrationContext {
  readonly log: Log;
  readonly requestTimeoutMs: number;
  readonly session: () => Session | undefined;
  /** The host has answered for some channels: what waited for them may go on. */
  readonly onAnswered: () => void;
}

/**
 * Keeps the host's list of channels the same as ours. A connection begins with one `channels/register` of everything;
 * what follows are `channels/changed` (SPEC §14.3), as Requests, because only those say what was refused (SPEC §14.5).
 */
export class Registration {
  readonly table = new ChannelTable();
  private begun = false;
  private readonly askingAgain = new Map<string, Promise<void>>();

  constructor(private readonly context: RegistrationContext) {}

  /** A new connection knows no channel. */
  reset(): void {
    this.begun = false;
    this.table.forgetRegistrations();
  }

  async put(descriptors: readonly ChannelDescriptor[]): Promise<void> {
    if (descriptors.length === 0) return;
    const added: ChannelDescriptor[] = [];
    const updated: ChannelDescriptor[] = [];
    for (const descriptor of descriptors) (this.table.put(descriptor) === 'added' ? added : updated).push(descriptor);
    if (this.begun) await this.ask('channels/changed', { added, updated });
    else await this.begin();
  }

  async remove(ids: readonly string[]): Promise<void> {
    const removed = ids.filter((id) => this.table.delete(id));
    if (removed.length > 0 && this.begun) await this.ask('channels/changed', { removed });
  }

  /** Registers everything, if the host grants registration. */
  async begin(): Promise<void> {
    const channels = this.table.all();
    if (channels.length > 0 && this.granted()) await this.ask('channels/register', { channels });
  }

  /** The host says that it does not know a channel of ours; however many occurrences it says it of, it is asked once. */
  again(id: string): Promise<void> {
    const underWay = this.askingAgain.get(id);
    if (underWay) return underWay;
    const descriptor = this.table.get(id);
    const asked = descriptor ? this.ask('channels/register', { channels: [descriptor] }) : Promise.resolve();
    const done = asked.finally(() => this.askingAgain.delete(id));
    this.askingAgain.set(id, done);
    return done;
  }

  private granted(): boolean {
    return this.context.session()?.can('channels.register') ?? false;
  }

  private async ask(
    method: 'channels/register' | 'channels/changed',
    params: Readonly<Record<string, readonly (ChannelDescriptor | string)[]>>,
  ): Promise<void> {
    const { session, requestTimeoutMs, log } = this.context;
    const current = session();
    if (!current || !this.granted()) return;
    this.begun = true;
    const ids = Object.values(params).flatMap((list) =>
      list.flatMap((one) => (typeof one === 'string' ? [] : [one.id])),
    );
    this.table.asked(ids);
    if (method === 'channels/changed' && current.dialect !== '0.5') {
      // Hosts before 0.5 refuse it as a Request, and say nothing to a Notification.
      current.notify(method, params);
      this.answered(ids, {});
      return;
    }
    try {
      await current.request(method, params, requestTimeoutMs, (result) => this.answered(ids, result));
    } catch (error) {
      log.warn({ method, reason: (error as Error).message }, 'channels are not registered yet');
    }
  }

  private answered(ids: readonly string[], result: Readonly<Record<string, unknown>>): void {
    this.table.answered(ids, Array.isArray(result.results) ? (result.results as DescriptorResult[]) : undefined);
    for (const id of ids) {
      const registration = this.table.registration(id);
      if (registration.kind === 'refused')
        this.context.log.warn({ channelId: id, reason: registration.reason }, 'the host refuses this channel');
    }
    this.context.onAnswered();
  }
}
