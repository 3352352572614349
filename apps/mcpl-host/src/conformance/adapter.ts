import { type PublicAdapter, publicAdapter } from '@mcpl-bridges/conformance';
import { processDriver } from './process-driver.js';

export { processDriver } from './process-driver.js';

/** What the public RFC-006 corpus is run with: real host processes behind a real WebSocket. */
export const createAdapter = async (): Promise<PublicAdapter> => publicAdapter(processDriver('strict'));
