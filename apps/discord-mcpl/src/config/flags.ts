import { parseArgs } from 'node:util';
import { VARIABLES } from './config.js';
import { ConfigError } from './config-error.js';

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'check'; readonly config: string | undefined }
  | { readonly kind: 'invite'; readonly config: string | undefined }
  | { readonly kind: 'stdio'; readonly config: string | undefined }
  | {
      readonly kind: 'listen';
      readonly config: string | undefined;
      readonly host: string;
      readonly port: number;
    }
  | { readonly kind: 'tcp'; readonly config: string | undefined; readonly port: number };

export const HELP = `discord-mcpl: Discord for AI agents over MCPL

usage: discord-mcpl [--stdio | --listen HOST:PORT | --tcp PORT] [--config FILE] [--check]
       discord-mcpl invite

  --stdio            speak JSON-RPC on stdin and stdout (the default)
  --listen HOST:PORT speak WebSocket instead, for hosts that dial
  --tcp PORT         speak JSON-RPC on a TCP port of this machine instead
  --config FILE      JSON; a variable of the same meaning wins
  --check            try the configuration out, say what is missing, and exit
  --help, --version
  invite             print the address where a server's owner invites the bot

variables:
${VARIABLES.map(([name, meaning]) => `  ${name.padEnd(24)} ${meaning}`).join('\n')}
`;

/** @throws ConfigError for an unknown flag or an address that is none */
export const parseFlags = (argv: readonly string[]): Command => {
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
    throw new ConfigError(`${(error as Error).message.split('. To ')[0]}; see discord-mcpl --help`);
  }
  const config = typeof values.config === 'string' ? values.config : undefined;
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  if (positionals.length > 1 || (positionals[0] !== undefined && positionals[0] !== 'invite'))
    throw new ConfigError(`there is no command ${positionals.join(' ')}; see discord-mcpl --help`);
  if (positionals[0] === 'invite') return { kind: 'invite', config };
  if (values.check) return { kind: 'check', config };
  if ([values.stdio, values.listen, values.tcp].filter((one) => one !== undefined).length > 1)
    throw new ConfigError('use one of --stdio, --listen and --tcp');
  if (typeof values.tcp === 'string')
    return { kind: 'tcp', config, port: portOf(values.tcp, '--tcp', 'PORT, e.g. 8781') };
  if (typeof values.listen !== 'string') return { kind: 'stdio', config };
  const [, host, port] = /^(.+):([^:]*)$/.exec(values.listen) ?? [];
  const form = 'HOST:PORT, e.g. 127.0.0.1:8780';
  if (!host || port === undefined) throw new ConfigError(`--listen is ${values.listen}; use ${form}`);
  return { kind: 'listen', config, host, port: portOf(port, '--listen', form) };
};

const portOf = (text: string, flag: string, form: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new ConfigError(`${flag} has port ${text}; use ${form}`);
  return Number(text);
};
