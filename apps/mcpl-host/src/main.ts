import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { ConfigError } from './config/config-error.js';
import { runConformance } from './conformance/command.js';
import { HELP, parseFlags } from './flags.js';
import { run } from './run.js';

const version = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;

const main = async (argv: readonly string[]): Promise<number> => {
  const command = parseFlags(argv);
  switch (command.kind) {
    case 'help':
      process.stdout.write(HELP);
      return 0;
    case 'version':
      process.stdout.write(`${version()}\n`);
      return 0;
    case 'conformance':
      return runConformance(command);
    case 'run':
      return run(
        command,
        pino(
          { name: 'mcpl-host', level: process.env.MCPL_LOG_LEVEL ?? 'info' },
          pino.destination({ fd: 2, sync: true }),
        ),
      );
  }
};

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`mcpl-host: ${error.message}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  },
);
