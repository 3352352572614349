import type { CoalescingLeaves } from '@mcpl-bridges/protocol';
import type { Occurrence } from './occurrence.js';

/** How an occurrence travels, given what the host offers and grants right now. */
export type Route =
  /** `channels/incoming`, with or without `coalesce`. */
  | { readonly kind: 'incoming'; readonly coalesce: boolean }
  /** `push/event` in the channel's scope. */
  | { readonly kind: 'channel-push' }
  /** `push/event` in the feature set's scope. */
  | { readonly kind: 'set-push' }
  /** `push/event` without `coalesce`: appended by the host, as before RFC-006. */
  | { readonly kind: 'ordinary-push' }
  /** A notification that nobody answers, to a host without MCPL. */
  | { readonly kind: 'channel-notification' }
  /** There is nothing to say to this host. */
  | { readonly kind: 'needless' }
  /** Nothing that could carry it is granted. */
  | { readonly kind: 'held'; readonly missing: string };

export interface RouteFacts {
  /** The host speaks no MCPL and takes notifications. */
  readonly notifies: boolean;
  /** The host has opened the channel. */
  readonly open: boolean;
  /** The host has accepted the channel's registration. */
  readonly registered: boolean;
  /** `undefined`: an append-only host. */
  readonly leaves: CoalescingLeaves | undefined;
  readonly pushGranted: boolean;
  readonly incomingGranted: boolean;
}

type About =
  | { readonly kind: 'message'; readonly action: 'create' | 'edit' | 'delete' }
  | {
      readonly kind: 'state';
      readonly action: 'set' | 'withdraw';
      readonly inChannel: boolean;
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'notice'; readonly inChannel: boolean }
  | { readonly kind: 'event' };

export const aboutOf = (occurrence: Occurrence): About => {
  switch (occurrence.kind) {
    case 'message':
    case 'event':
      return occurrence;
    case 'state': {
      const { kind, action, channelId, content } = occurrence;
      return { kind, action, inChannel: channelId !== undefined, isEmpty: content.length === 0 };
    }
    case 'notice':
      return { kind: 'notice', inChannel: occurrence.channelId !== undefined };
  }
};

/** The lane of an occurrence: one row per host, one column per kind (RFC-006 §8, §9.2). */
export const chooseRoute = (about: About, facts: RouteFacts): Route => {
  if (facts.notifies) return isSilent(about) ? { kind: 'needless' } : { kind: 'channel-notification' };
  switch (about.kind) {
    case 'message':
      return routeMessage(about.action, facts);
    case 'event':
      return facts.pushGranted ? { kind: 'ordinary-push' } : { kind: 'held', missing: 'pushEvents' };
    case 'state':
    case 'notice':
      return routeSubject(about, facts);
  }
};

const mayPushInChannel = ({ pushGranted, incomingGranted, registered, leaves }: RouteFacts): boolean =>
  pushGranted && incomingGranted && registered && leaves?.pushEvents === true && leaves.channelScopedPush;

/**
 * Creates of an open channel are messages; everything else is a push in the channel's scope where the host offers that,
 * and otherwise the nearest thing that it does offer.
 */
const routeMessage = (action: 'create' | 'edit' | 'delete', facts: RouteFacts): Route => {
  const incoming = facts.incomingGranted && facts.registered;
  const coalescedIncoming = incoming && facts.leaves?.channelsIncoming === true;
  const channelPush = mayPushInChannel(facts);

  if (action === 'create') {
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

/**
 * States and notices are pushes. Where the channel's scope is not theirs, their subject lives in the feature set; what was
 * never coalesced cannot be withdrawn, so a withdrawal without a word is needless there.
 */
const routeSubject = (about: Extract<About, { kind: 'state' | 'notice' }>, facts: RouteFacts): Route => {
  if (!facts.pushGranted) return { kind: 'held', missing: 'pushEvents' };
  if (facts.leaves?.pushEvents) {
    return about.inChannel && mayPushInChannel(facts) ? { kind: 'channel-push' } : { kind: 'set-push' };
  }
  return isSilent(about) ? { kind: 'needless' } : { kind: 'ordinary-push' };
};

/** Takes something back without a word, which is nothing where nothing can be taken back. */
const isSilent = (about: About): boolean => about.kind === 'state' && about.action === 'withdraw' && about.isEmpty;
