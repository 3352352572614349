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
    };

export const HELP = `discord-mcpl: Discord for AI agents over MCPL

usage: discord-mcpl [--stdio] [--listen HOST:PORT] [--config FILE] [--check]
       discord-mcpl invite

  --stdio            speak JSON-RPC on stdin and stdout (the default)
  --listen HOST:PORT speak WebSocket instead, for hosts that dial
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
  if (typeof values.listen !== 'string') return { kind: 'stdio', config };
  const address = /^(.+):(\d{1,5})$/.exec(values.listen);
  const port = Number(address?.[2]);
  if (!address?.[1] || port > 65_535)
    throw new ConfigError(`--listen is ${values.listen}; use HOST:PORT, e.g. 127.0.0.1:8780`);
  return { kind: 'listen', config, host: address[1], port };
};
