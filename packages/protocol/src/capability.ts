/** Every capability path a feature set may name in `uses` (SPEC §6.2). */
export const CAPABILITY_PATHS = [
  'pushEvents',
  'tools',
  'modelInfo',
  'inferenceRequest',
  'inferenceRequest.streaming',
  'inferenceLifecycle',
  'contextHooks.beforeInference.observe',
  'contextHooks.beforeInference.inject.system',
  'contextHooks.beforeInference.inject.beforeUser',
  'contextHooks.beforeInference.inject.afterUser',
  'channels.register',
  'channels.lifecycle',
  'channels.publish',
  'channels.incoming',
  'channels.streaming',
  'channels.acknowledge',
  'channels.typing',
] as const;

export type CapabilityPath = (typeof CAPABILITY_PATHS)[number];

const KNOWN: ReadonlySet<string> = new Set(CAPABILITY_PATHS);

export const isCapabilityPath = (path: string): path is CapabilityPath => KNOWN.has(path);

/** The capability each method needs (SPEC §14.1); methods that are absent need none. */
export const METHOD_CAPABILITY: Readonly<Record<string, CapabilityPath>> = {
  'push/event': 'pushEvents',
  'push/render': 'pushEvents',
  'channels/register': 'channels.register',
  'channels/changed': 'channels.register',
  'channels/list': 'channels.register',
  'channels/open': 'channels.lifecycle',
  'channels/close': 'channels.lifecycle',
  'channels/publish': 'channels.publish',
  'channels/incoming': 'channels.incoming',
  'channels/outgoing/chunk': 'channels.streaming',
  'channels/outgoing/complete': 'channels.streaming',
  'channels/acknowledge': 'channels.acknowledge',
  'channels/typing': 'channels.typing',
  'inference/request': 'inferenceRequest',
  'inference/lifecycle': 'inferenceLifecycle',
  'model/info': 'modelInfo',
};

/**
 * Does `pattern` cover `path`? `*` stands for exactly one segment and the segment counts must be equal, so a bare
 * parent grants no leaf and a trailing `*` is no subtree (SPEC §5.4).
 */
export const matchesPath = (pattern: string, path: string): boolean => {
  const want = pattern.split('.');
  const have = path.split('.');
  return want.length === have.length && want.every((segment, i) => segment === '*' || segment === have[i]);
};

export const isGranted = (effective: readonly string[], path: string): boolean =>
  effective.some((pattern) => matchesPath(pattern, path));

/**
 * The leaves an advertisement claims: `true` at a node stands for every known leaf beneath it, `false` and absence for
 * none (SPEC §5.1). `tools` is advertised outside the MCPL object and is passed on its own.
 */
export const advertisedPaths = (advert: Readonly<Record<string, unknown>>, tools: boolean): CapabilityPath[] =>
  CAPABILITY_PATHS.filter((path) => (path === 'tools' ? tools : claims(advert, path.split('.'))));

const claims = (node: unknown, segments: readonly string[]): boolean => {
  if (node === true) return true;
  if (typeof node !== 'object' || node === null) return false;
  const [head, ...rest] = segments;
  // A parent that is itself a path (`inferenceRequest`) is claimed by any object that describes it.
  if (head === undefined) return true;
  return Object.hasOwn(node, head) && claims((node as Record<string, unknown>)[head], rest);
};
