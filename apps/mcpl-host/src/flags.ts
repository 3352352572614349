import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { echoModel, type Model, PROFILES, type ProfileName, scriptedModel } from '@mcpl-bridges/host';
import { z } from 'zod';
import { ConfigError } from './config.js';

export const HELP = `mcpl-host: the reference MCPL host

usage: mcpl-host run --config FILE [--profile NAME] [--model NAME] [--state DIR] [--check]

  --config FILE    servers, as {"mcpServers": {"name": {"command", "args", "env"} or {"url": "ws://…", "token"}}};
                   "mcpl": {"open": ["discord:*"], "capabilities", "enabled", "disabled", "channels"} beside them
  --profile NAME   ${Object.keys(PROFILES).join(', ')}; default strict
  --model NAME     echo, echo-addressed (answers only what addresses it), or script:FILE (a JSON list of replies)
  --state DIR      keep what must survive a restart in this folder; without it nothing does
  --audit FILE     write what no model will read as it was sent: ids only, one JSON object a line
  --check          connect to every server, say how it went, and exit
  --help, --version

Turns and occurrences are printed as one JSON object a line.
`;

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly config: string;
      readonly profile: ProfileName;
      readonly model: Model;
      readonly state: string | undefined;
      readonly audit: string | undefined;
      readonly check: boolean;
    };

const scriptFile = z.array(z.union([z.string(), z.null(), z.object({ text: z.string(), channelId: z.string() })]));

const modelOf = (name: string): Model => {
  if (name === 'echo') return echoModel();
  if (name === 'echo-addressed') return echoModel({ onlyWhenAddressed: true });
  if (!name.startsWith('script:')) throw new ConfigError(`--model is ${name}; use echo, echo-addressed or script:FILE`);
  const path = name.slice('script:'.length);
  try {
    return scriptedModel(scriptFile.parse(JSON.parse(readFileSync(path, 'utf8'))));
  } catch {
    throw new ConfigError(`${path} is no script: it must be a JSON list of strings, null, or {text, channelId}`);
  }
};

const isProfile = (name: string): name is ProfileName => Object.hasOwn(PROFILES, name);

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
  if (verb !== 'run') throw new ConfigError(`there is no command ${verb}; see mcpl-host --help`);
  if (!values.config) throw new ConfigError('--config FILE is needed: the servers to run; see mcpl-host --help');
  if (!isProfile(values.profile))
    throw new ConfigError(`--profile is ${values.profile}; use one of ${Object.keys(PROFILES).join(', ')}`);
  const { config, profile, check, state, audit } = values;
  return { kind: 'run', config, profile, model: modelOf(values.model), state, audit, check };
};

const parse = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      config: { type: 'string' },
      profile: { type: 'string', default: 'strict' },
      model: { type: 'string', default: 'echo-addressed' },
      state: { type: 'string' },
      audit: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
