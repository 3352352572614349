import { type Credentials, dialNode, PortalClient, type Ready } from '@mcpl-bridges/portal-client';
import type { Access } from './credentials.js';

/** How long a relay may take to let somebody in, ms. */
const PATIENCE_MS = 15_000;

/** What a short visit to a relay showed. */
export type Visit =
  | { readonly kind: 'in'; readonly ready: Ready; readonly enrolled: Credentials | undefined }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'away' };

/** Comes in once, and leaves. */
export const visit = async (url: string, access: Access): Promise<Visit> => {
  let enrolled: Credentials | undefined;
  let client: PortalClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  const seen = await new Promise<Visit>((resolve) => {
    client = new PortalClient({
      url,
      login: access.login,
      dial: dialNode,
      keep: (credentials) => {
        access.keep(credentials);
        enrolled = credentials;
      },
      on: {
        entered: (_how, ready) => ready && resolve({ kind: 'in', ready, enrolled }),
        refused: (reason) => resolve({ kind: 'refused', reason }),
      },
    });
    timer = setTimeout(() => resolve({ kind: 'away' }), PATIENCE_MS);
    client.start();
  });
  clearTimeout(timer);
  await client?.stop();
  return seen;
};
