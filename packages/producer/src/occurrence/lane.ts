import type { CoalescingLeaves } from '@mcpl-bridges/protocol';
import type { Action } from './occurrence.js';

/** How an occurrence travels, given what the host offers and grants right now. */
export type Route =
  /** `channels/incoming`, with or without `coalesce`. */
  | { readonly kind: 'incoming'; readonly coalesce: boolean }
  /** `push/event` in the channel's scope. */
  | { readonly kind: 'channel-push' }
  /** `push/event` without `coalesce`: appended by the host, as before RFC-006. */
  | { readonly kind: 'ordinary-push' }
  /** Nothing that could carry it is granted. */
  | { readonly kind: 'held'; readonly missing: string };

export interface RouteFacts {
  readonly action: Action;
  /** The host has opened the channel. */
  readonly open: boolean;
  /** The host has accepted the channel's registration. */
  readonly registered: boolean;
  /** `undefined`: an append-only host. */
  readonly leaves: CoalescingLeaves | undefined;
  readonly pushGranted: boolean;
  readonly incomingGranted: boolean;
}

/**
 * The lane of an occurrence: one row per host, one column per action (RFC-006 §8, §9.2). Creates of an open channel
 * are messages; everything else is a push in the channel's scope where the host offers that, and otherwise the nearest
 * thing that it does offer.
 */
export const chooseRoute = (facts: RouteFacts): Route => {
  const incoming = facts.incomingGranted && facts.registered;
  const channelPush =
    facts.pushGranted && incoming && facts.leaves?.pushEvents === true && facts.leaves.channelScopedPush;
  const coalescedIncoming = incoming && facts.leaves?.channelsIncoming === true;

  if (facts.action === 'create') {
    if (facts.open && incoming) return { kind: 'incoming', coalesce: coalescedIncoming };
    if (channelPush) return { kind: 'channel-push' };
  } else {
    if (channelPush) return { kind: 'channel-push' };
    if (facts.open && coalescedIncoming) return { kind: 'incoming', coalesce: true };
  }
  if (facts.pushGranted) return { kind: 'ordinary-push' };
  if (facts.open && incoming) return { kind: 'incoming', coalesce: false };
  return { kind: 'held', missing: 'pushEvents' };
};
