import { check } from './check.js';
import { readConfig } from './config/config.js';
import { ConfigError } from './config/config-error.js';
import { HELP, parseFlags } from './config/flags.js';
import { ExitCode, LoginRefused } from './gateway/login-error.js';
import { inviteUrl } from './invite.js';
import { openLog } from './log.js';
import { serve } from './server.js';
import { VERSION } from './version.js';

// Standard output belongs to JSON-RPC; everything for people goes to standard error.
const tell = (line: string): void => void process.stderr.write(`${line}\n`);

const run = async (argv: readonly string[]): Promise<number> => {
  const command = parseFlags(argv);
  if (command.kind === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (command.kind === 'version') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const config = readConfig(process.env, command.config);
  if (command.kind === 'invite') {
    process.stdout.write(`${inviteUrl(config.token)}\n`);
    return 0;
  }
  if (command.kind === 'check') return (await check(config, tell)) ? 0 : 1;
  await serve(config, command, openLog(config));
  return 0;
};

const exitCodeOf = (error: unknown): number => {
  if (error instanceof LoginRefused) return error.exitCode;
  return error instanceof ConfigError ? ExitCode.Config : 1;
};

run(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: Error) => {
    tell(`discord-mcpl: ${error.message}`);
    process.exit(exitCodeOf(error));
  },
);
