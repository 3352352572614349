import type { CapabilityPath } from '@mcpl-bridges/protocol';

/** What a bridge's messaging feature set exercises (SPEC §6.4). */
export const MESSAGING_USES: readonly CapabilityPath[] = [
  'tools',
  'pushEvents',
  'channels.register',
  'channels.lifecycle',
  'channels.publish',
  'channels.incoming',
  'channels.streaming',
  'channels.acknowledge',
  'channels.typing',
];
