import { type CoalescingLeaves, hostAdvert, readCoalescingAdvert } from '@mcpl-bridges/protocol';

/**
 * How a host speaks MCPL. Before 0.5 nobody asked a server whether it takes its policy, and two kinds of host read feature
 * sets in two shapes: as a list where they advertise none themselves, else by name.
 */
export type Dialect = '0.5' | '0.4-list' | '0.4-named';

/** What the host said of itself in `initialize`. */
export type HostView =
  | { readonly kind: 'plain-mcp' }
  | { readonly kind: 'mcpl'; readonly dialect: Dialect; readonly leaves: CoalescingLeaves | undefined };

/** Reads the host's `initialize` params, leniently: real hosts send booleans for objects (SPEC §5.2). */
export const readHost = (params: Readonly<Record<string, unknown>>, legacy: boolean): HostView => {
  const capabilities = params.capabilities as { experimental?: { mcpl?: unknown } } | undefined;
  const advert = hostAdvert.safeParse(capabilities?.experimental?.mcpl);
  if (!advert.success) return { kind: 'plain-mcp' };
  const leaves = readCoalescingAdvert(advert.data.eventCoalescing);
  return { kind: 'mcpl', dialect: dialectOf(advert.data, legacy), leaves };
};

const dialectOf = (advert: Readonly<Record<string, unknown>>, legacy: boolean): Dialect => {
  if (!legacy || !/^0\.4(\.|$)/.test(String(advert.version))) return '0.5';
  return Object.hasOwn(advert, 'featureSets') ? '0.4-named' : '0.4-list';
};
