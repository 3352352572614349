import { type CoalescingLeaves, hostAdvert, readCoalescingAdvert } from '@mcpl-bridges/protocol';

/** What the host said of itself in `initialize`. */
export type HostView =
  | { readonly kind: 'plain-mcp' }
  | { readonly kind: 'mcpl'; readonly leaves: CoalescingLeaves | undefined };

/** Reads the host's `initialize` params, leniently: real hosts send booleans for objects (SPEC §5.2). */
export const readHost = (params: Readonly<Record<string, unknown>>): HostView => {
  const capabilities = params.capabilities as { experimental?: { mcpl?: unknown } } | undefined;
  const advert = hostAdvert.safeParse(capabilities?.experimental?.mcpl);
  return advert.success
    ? { kind: 'mcpl', leaves: readCoalescingAdvert(advert.data.eventCoalescing) }
    : { kind: 'plain-mcp' };
};
