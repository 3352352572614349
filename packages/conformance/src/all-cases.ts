import { AUDIT } from './cases/audit.js';
import { CANCELLATION } from './cases/cancellation.js';
import { CONTEXTS } from './cases/contexts.js';
import { DEFERRED } from './cases/deferred.js';
import { DURABILITY } from './cases/durability.js';
import { IDENTITY } from './cases/identity.js';
import { LANES } from './cases/lanes.js';
import { PLAIN } from './cases/plain.js';
import { RETRACTION } from './cases/retraction.js';
import { WAKE } from './cases/wake.js';
import type { ConformanceCase } from './conformance-case.js';

const inOrder = new Intl.Collator('en', { numeric: true });

/** Every case of RFC-006 revision 8, by number. */
export const CASES: readonly ConformanceCase[] = [
  ...PLAIN,
  ...IDENTITY,
  ...LANES,
  ...DEFERRED,
  ...CANCELLATION,
  ...RETRACTION,
  ...DURABILITY,
  ...CONTEXTS,
  ...WAKE,
  ...AUDIT,
].sort((a, b) => inOrder.compare(a.id, b.id));
