import type { CoalescingLeaves, ContentBlock } from '@mcpl-bridges/protocol';
import type { Answer } from '@mcpl-bridges/transport';
import type { Digests } from './digest/digests.js';
import { aboutOf, chooseRoute } from './occurrence/lane.js';
import type { NoticeOccurrence, Occurrence } from './occurrence/occurrence.js';
import type { WireForm } from './occurrence/wire-form.js';
import type { Sender } from './outbox/sender.js';
import type { Registration } from './registration.js';
import { CHANNEL_NOTIFICATION } from './session/channel-notifications.js';
import type { Session } from './session/session.js';

/** Most messages in one `channels/incoming`. */
const MAX_MESSAGES = 64;

export interface HostSenderContext {
  readonly session: () => Session | undefined;
  readonly registration: Registration;
  readonly digests: Digests;
  readonly policyEpoch: () => number;
  readonly withholds: (channelId: string) => boolean;
  readonly requestTimeoutMs: number;
}

/** The outbox' view of whatever host there is now. */
export class HostSender implements Sender {
  constructor(private readonly context: HostSenderContext) {}

  policyEpoch(): number {
    return this.context.policyEpoch();
  }

  retryWindowMs(): number {
    return this.context.session()?.retryWindowMs ?? 0;
  }

  leaves(): CoalescingLeaves | undefined {
    return this.context.session()?.leaves;
  }

  /** Whether hosts before 0.5 say of each of several messages what became of it is not known. */
  maxMessages(): number {
    return this.context.session()?.dialect === '0.5' ? MAX_MESSAGES : 1;
  }

  withholds(occurrence: Occurrence): boolean {
    const channelId = channelOf(occurrence);
    return channelId !== undefined && this.context.withholds(channelId);
  }

  send(method: string, params: string, answered: (answer: Answer) => void): void {
    const session = this.context.session();
    if (session && method === CHANNEL_NOTIFICATION) {
      session.notify(method, JSON.parse(params));
      answered({ kind: 'result', result: {}, late: false });
    } else if (session) session.call(method, params, this.context.requestTimeoutMs, answered);
    else answered({ kind: 'failed', cause: { kind: 'disconnected' } });
  }

  registerAgain(channelId: string): Promise<void> {
    return this.context.registration.again(channelId);
  }

  summarise(notices: readonly NoticeOccurrence[]): Promise<readonly ContentBlock[]> {
    return this.context.digests.summarise(notices);
  }

  route(occurrence: Occurrence): ReturnType<Sender['route']> {
    const session = this.context.session();
    const permit = this.mayReach(session, occurrence);
    if (permit !== 'yes' || !session) return { kind: permit === 'refused' ? 'refused' : 'wait' };
    const channelId = channelOf(occurrence);
    return chooseRoute(aboutOf(occurrence), {
      notifies: session.notifies,
      open: channelId !== undefined && this.context.registration.table.isOpen(channelId),
      registered:
        channelId !== undefined && this.context.registration.table.registration(channelId).kind === 'accepted',
      leaves: session.leaves,
      pushGranted: session.can('pushEvents') && session.hasFeatureSet(occurrence.featureSet),
      incomingGranted: session.can('channels.incoming'),
    });
  }

  permits(occurrence: Occurrence, wire: WireForm): ReturnType<Sender['permits']> {
    const session = this.context.session();
    const permit = this.mayReach(session, occurrence);
    if (permit !== 'yes' || !session) return permit;
    if (session.notifies) return wire.method === CHANNEL_NOTIFICATION ? 'yes' : 'wait';
    if (wire.method === CHANNEL_NOTIFICATION) return 'wait';
    if (wire.method === 'push/event' && !(session.can('pushEvents') && session.hasFeatureSet(occurrence.featureSet)))
      return 'wait';
    const isInChannel = wire.method === 'channels/incoming' || wire.inChannelScope;
    return isInChannel && !session.can('channels.incoming') ? 'wait' : 'yes';
  }

  /** Whether the host is there, and has the occurrence's channel where it wants to be told of channels. */
  private mayReach(session: Session | undefined, occurrence: Occurrence): 'yes' | 'wait' | 'refused' {
    if (session?.notifies) return 'yes';
    if (session?.phase.kind !== 'ready') return 'wait';
    const channelId = channelOf(occurrence);
    if (channelId === undefined || !session.can('channels.register')) return 'yes';
    const { kind } = this.context.registration.table.registration(channelId);
    if (kind === 'refused') return 'refused';
    return kind === 'accepted' ? 'yes' : 'wait';
  }
}

const channelOf = (occurrence: Occurrence): string | undefined =>
  'channelId' in occurrence ? occurrence.channelId : undefined;
