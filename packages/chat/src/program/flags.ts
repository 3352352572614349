import { parseArgs } from 'node:util';
import { ConfigError } from './errors.js';

/** How a program that serves hosts meets them. */
export type Serving =
  | { readonly kind: 'stdio' }
  | { readonly kind: 'listen'; readonly host: string; readonly port: number }
  | { readonly kind: 'tcp'; readonly port: number };

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'check'; readonly config: string | undefined }
  /** One of the program's own. */
  | { readonly kind: 'errand'; readonly name: string; readonly config: string | undefined }
  | { readonly kind: 'serve'; readonly config: string | undefined; readonly serving: Serving };

export interface Usage {
  readonly program: string;
  /** What it is, in a few words. */
  readonly purpose: string;
  /** Commands of its own, with what they do. */
  readonly errands: Readonly<Record<string, string>>;
  readonly variables: readonly (readonly [name: string, meaning: string])[];
}

export const helpText = ({ program, purpose, errands, variables }: Usage): string => {
  const width = Math.max(...variables.map(([name]) => name.length)) + 1;
  return `${program}: ${purpose}

usage: ${program} [--stdio | --listen HOST:PORT | --tcp PORT] [--config FILE] [--check]
${Object.keys(errands)
  .map((name) => `       ${program} ${name} [--config FILE]\n`)
  .join('')}
  --stdio            speak JSON-RPC on stdin and stdout (the default)
  --listen HOST:PORT speak WebSocket instead, for hosts that dial
  --tcp PORT         speak JSON-RPC on a TCP port of this machine instead
  --config FILE      JSON; a variable of the same meaning wins
  --check            try the configuration out, say what is missing, and exit
  --help, --version
${Object.entries(errands)
  .map(([name, meaning]) => `  ${name.padEnd(18)} ${meaning}\n`)
  .join('')}
variables:
${variables.map(([name, meaning]) => `  ${name.padEnd(width)} ${meaning}`).join('\n')}
`;
};

/** @throws ConfigError for an unknown flag or an address that is none */
export const parseFlags = (argv: readonly string[], { program, errands }: Usage): Command => {
  let values: Record<string, string | boolean | undefined>;
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        stdio: { type: 'boolean' },
        listen: { type: 'string' },
        tcp: { type: 'string' },
        config: { type: 'string' },
        check: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    }));
  } catch (error) {
    throw new ConfigError(`${(error as Error).message.split('. To ')[0]}; see ${program} --help`);
  }
  const config = typeof values.config === 'string' ? values.config : undefined;
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [name] = positionals;
  if (positionals.length > 1 || (name !== undefined && !Object.hasOwn(errands, name)))
    throw new ConfigError(`there is no command ${positionals.join(' ')}; see ${program} --help`);
  if (name !== undefined) return { kind: 'errand', name, config };
  if (values.check) return { kind: 'check', config };
  return { kind: 'serve', config, serving: servingOf(values) };
};

const servingOf = ({ stdio, listen, tcp }: Record<string, string | boolean | undefined>): Serving => {
  if ([stdio, listen, tcp].filter((one) => one !== undefined).length > 1)
    throw new ConfigError('use one of --stdio, --listen and --tcp');
  if (typeof tcp === 'string') return { kind: 'tcp', port: portOf(tcp, '--tcp', 'PORT, e.g. 8781') };
  if (typeof listen !== 'string') return { kind: 'stdio' };
  const [, host, port] = /^(.+):([^:]*)$/.exec(listen) ?? [];
  const form = 'HOST:PORT, e.g. 127.0.0.1:8780';
  if (!host || port === undefined) throw new ConfigError(`--listen is ${listen}; use ${form}`);
  return { kind: 'listen', host, port: portOf(port, '--listen', form) };
};

const portOf = (text: string, flag: string, form: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new ConfigError(`${flag} has port ${text}; use ${form}`);
  return Number(text);
};
