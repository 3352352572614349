import { parseArgs } from 'node:util';
import { type Model, PROFILES, type Profile, type ProfileName } from '@mcpl-bridges/host';
import type { CoalescingLeaves } from '@mcpl-bridges/protocol';
import { ConfigError } from './config/config-error.js';
import type { ConformanceOptions } from './conformance/command.js';
import { modelNamed } from './models.js';

const LEAVES = ['pushEvents', 'channelsIncoming', 'deferred', 'channelScopedPush'] as const;
type Leaf = (typeof LEAVES)[number];

export const HELP = `mcpl-host: the reference MCPL host

usage: mcpl-host run --config FILE [--profile NAME] [--without LEAF]… [--model NAME] [--state DIR] [--audit FILE] [--check]
       mcpl-host conformance [--profile NAME] [--case 2,20a] [--report FILE]

run connects to the servers and runs the agents; turns and occurrences are printed as one JSON object a line.

  --config FILE    servers, as {"mcpServers": {"name": {"command", "args", "env"}, or {"url": "ws://…", "token"}, or
                   {"listen": "host:port", "token"} for one that dials in}}, with "mcpl": {"open": ["discord:*"],
                   "capabilities", "enabled", "disabled", "channels", "restart", "faults", …} beside them;
                   agents under "mcplHost": {"agents": [{"name", "model", "channels", "conversations", "wake"}]}
  --profile NAME   the kind of host to play: ${Object.keys(PROFILES).join(', ')}; default strict
  --without LEAF   leave a leaf of eventCoalescing out: ${LEAVES.join(', ')}
  --model NAME     echo, echo-addressed (answers only what addresses it; default), or script:FILE (a JSON list of replies)
  --state DIR      keep what must survive a restart in this folder; without it nothing does
  --audit FILE     write what no model will read as it was sent: ids only, one JSON object a line
  --check          connect to every server, say how it went, and exit

conformance runs the cases of RFC-006 against this host, in processes that are really killed, and prints a table.

  --profile NAME   as above
  --case LIST      only these
  --report FILE    the results as JSON

  --help, --version
`;

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly config: string;
      readonly profile: Profile;
      /** Makes the model of an agent that names none. */
      readonly model: () => Model;
      readonly state: string | undefined;
      readonly audit: string | undefined;
      readonly check: boolean;
    }
  | ({ readonly kind: 'conformance' } & ConformanceOptions);

const isProfile = (name: string): name is ProfileName => Object.hasOwn(PROFILES, name);
const isLeaf = (name: string): name is Leaf => (LEAVES as readonly string[]).includes(name);

const profileNamed = (name: string): ProfileName => {
  if (isProfile(name)) return name;
  throw new ConfigError(`--profile is ${name}; use one of ${Object.keys(PROFILES).join(', ')}`);
};

const profileOf = (name: string, without: readonly string[]): Profile => {
  const profile: Profile = PROFILES[profileNamed(name)];
  const stranger = without.find((leaf) => !isLeaf(leaf));
  if (stranger !== undefined) throw new ConfigError(`--without is ${stranger}; use one of ${LEAVES.join(', ')}`);
  if (!profile.coalescing && without.length > 0)
    throw new ConfigError(`--without ${without.join(', ')}: profile ${name} does not coalesce at all`);
  const off = Object.fromEntries(without.map((leaf) => [leaf, false])) as Partial<CoalescingLeaves>;
  return profile.coalescing ? { ...profile, coalescing: { ...profile.coalescing, ...off } } : profile;
};

/** @throws ConfigError */
export const parseFlags = (argv: readonly string[]): Command => {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    throw new ConfigError(`${(error as Error).message.split('. To ')[0]}; see mcpl-host --help`);
  }
  const { values, positionals } = parsed;
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [verb = 'run'] = positionals;
  if (verb === 'conformance') {
    const cases = values.case?.split(',') ?? [];
    return { kind: 'conformance', profile: profileNamed(values.profile), cases, report: values.report };
  }
  if (verb !== 'run') throw new ConfigError(`there is no command ${verb}; see mcpl-host --help`);
  if (!values.config) throw new ConfigError('--config FILE is needed: the servers to run; see mcpl-host --help');
  const { config, check, state, audit } = values;
  const profile = profileOf(values.profile, values.without);
  return { kind: 'run', config, profile, model: modelNamed(values.model, '--model'), state, audit, check };
};

const parse = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      config: { type: 'string' },
      profile: { type: 'string', default: 'strict' },
      without: { type: 'string', multiple: true, default: [] },
      model: { type: 'string', default: 'echo-addressed' },
      state: { type: 'string' },
      audit: { type: 'string' },
      check: { type: 'boolean', default: false },
      case: { type: 'string' },
      report: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
