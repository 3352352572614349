import { z } from 'zod';

/** The closed list of tool classes (RFC-008). */
export const TOOL_CLASSES = [
  'comms',
  'memory',
  'notes',
  'files',
  'shell',
  'web',
  'computer',
  'media',
  'body',
  'control',
] as const;

export type ToolClass = (typeof TOOL_CLASSES)[number];

/** The only `mcpl/` key a tool's `_meta` may carry (RFC-008). */
export const TOOL_CLASS_META = 'mcpl/class';

export const toolMeta = z.looseObject({ [TOOL_CLASS_META]: z.array(z.enum(TOOL_CLASSES)).min(1) });
