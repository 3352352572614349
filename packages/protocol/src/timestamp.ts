import { z } from 'zod';

/** An ISO 8601 instant, e.g. `2026-01-23T10:30:00Z` (SPEC §9.2). Offsets are allowed. */
export const timestamp = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 timestamp' });
