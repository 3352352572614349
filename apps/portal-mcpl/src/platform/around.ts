import type { PortalMessage } from '@mcpl-bridges/portal-client';
import { nativeId } from '../ids.js';
import type { Relay } from '../relay/relay.js';

const MINUTE = 60_000;

/** How far after a message the looking begins, ever further, ms. */
const REACHES = [MINUTE, 10 * MINUTE, 60 * MINUTE, 24 * 60 * MINUTE, 30 * 24 * 60 * MINUTE, Number.POSITIVE_INFINITY];

/** Pages that are read back from there. */
const MAX_PAGES = 5;

const PAGE = 100;

/**
 * Messages before and after one, and itself, newest first. Relays page backwards only, so that what comes after is looked
 * for from later and later on.
 */
export const around = async (
  relay: Pick<Relay, 'history'>,
  container: string,
  id: string,
  limit: number,
): Promise<PortalMessage[]> => {
  const middle = nativeId(id);
  const wanted = Math.floor(limit / 2);
  let after: PortalMessage[] = [];
  for (const reach of REACHES) {
    after = await afterIt(relay, container, middle, reach);
    if (after.length >= wanted) break;
  }
  const later = wanted === 0 ? [] : after.slice(-wanted);
  const earlier = await relay.history(container, limit - later.length, `rm_${container}_${middle + 1n}`);
  return [...later, ...earlier];
};

/** What stands after a message and before `reach` ms later, newest first, as far as some pages hold it. */
const afterIt = async (
  relay: Pick<Relay, 'history'>,
  container: string,
  middle: bigint,
  reach: number,
): Promise<PortalMessage[]> => {
  const found: PortalMessage[] = [];
  let before = Number.isFinite(reach) ? `rm_${container}_${middle + (BigInt(reach) << 22n)}` : undefined;
  for (let n = 0; n < MAX_PAGES; n++) {
    const page = await relay.history(container, PAGE, before);
    const later = page.filter(({ id }) => nativeId(id) > middle);
    found.push(...later);
    if (later.length < PAGE) break;
    before = page.at(-1)?.id;
  }
  return found;
};
