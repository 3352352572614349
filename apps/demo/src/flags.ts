import { parseArgs } from 'node:util';
import { SCRIPTS } from './script.js';

export interface DemoFlags {
  /** Play the script once and exit. */
  readonly once: boolean;
  /** One JSON object a line on standard output, nothing else. */
  readonly json: boolean;
  /** The host does not open the channel. */
  readonly closed: boolean;
  /** Through a Portal relay. */
  readonly portal: boolean;
  /** The host knows nothing of `eventCoalescing`. */
  readonly appendOnly: boolean;
  /** A script of the sandbox was asked for, so real Discord is not. */
  readonly scripted: boolean;
}

export const USAGE = `usage: npm start -- [--once] [--json] [--closed] [--append-only] [--portal] [--script lifecycle]

  --once         play the script once and exit
  --json         print one JSON object a line
  --closed       with a channel that the host has not opened
  --append-only  with a host that does not coalesce
  --portal       through a local Portal relay, by portal-mcpl
  --script NAME  ${Object.keys(SCRIPTS).join(', ')}

With DISCORD_TOKEN set and no script asked for, the same runs against Discord itself.
`;

/** @throws TypeError for an unknown flag, RangeError for an unknown script */
export const parseFlags = (argv: readonly string[]): DemoFlags | 'help' => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      once: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      closed: { type: 'boolean', default: false },
      'append-only': { type: 'boolean', default: false },
      portal: { type: 'boolean', default: false },
      script: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.script !== undefined && !Object.hasOwn(SCRIPTS, values.script))
    throw new RangeError(`there is no script ${values.script}; there is ${Object.keys(SCRIPTS).join(', ')}`);
  return {
    once: values.once,
    json: values.json,
    closed: values.closed,
    portal: values.portal,
    appendOnly: values['append-only'],
    scripted: values.once || values.portal || values.script !== undefined,
  };
};
