import { Console } from 'node:console';
import { readFileSync } from 'node:fs';
import { ProgramError } from './errors.js';
import { type Command, helpText, parseFlags, type Serving, type Usage } from './flags.js';

/** A bridge as a program. */
export interface Program<C> {
  readonly usage: Omit<Usage, 'errands'>;
  readonly version: string;
  /** @throws ConfigError */
  readonly configure: (env: NodeJS.ProcessEnv, configPath: string | undefined) => C;
  /** Tries everything out, a line each. @returns whether all is well */
  readonly check: (config: C, say: (line: string) => void) => Promise<boolean>;
  /** Commands of its own: what they do, and what they print on standard output. */
  readonly errands: Readonly<
    Record<string, { readonly meaning: string; readonly run: (config: C) => Promise<string> }>
  >;
  readonly serve: (config: C, serving: Serving) => Promise<void>;
}

/** The version in the `package.json` at `url`. */
export const versionIn = (url: URL): string => (JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version;

/** Runs a program to its end, and ends the process. Standard output belongs to JSON-RPC; what is for people goes to standard error. */
export const runProgram = <C>(program: Program<C>): void => {
  // Some libraries speak by the console, and half of it writes to standard output.
  globalThis.console = new Console(process.stderr, process.stderr);
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  const print = (text: string): void => void process.stdout.write(text);
  perform(program, process.argv.slice(2), print, tell).then(
    (code) => process.exit(code),
    (error: Error) => {
      tell(`${program.usage.program}: ${error.message}`);
      process.exit(error instanceof ProgramError ? error.exitCode : 1);
    },
  );
};

const perform = async <C>(
  program: Program<C>,
  argv: readonly string[],
  print: (text: string) => void,
  tell: (line: string) => void,
): Promise<number> => {
  const errands = Object.entries(program.errands).map(([name, { meaning }]) => [name, meaning] as const);
  const usage: Usage = { ...program.usage, errands: Object.fromEntries(errands) };
  const command: Command = parseFlags(argv, usage);
  if (command.kind === 'help') {
    print(helpText(usage));
    return 0;
  }
  if (command.kind === 'version') {
    print(`${program.version}\n`);
    return 0;
  }
  const config = program.configure(process.env, command.config);
  switch (command.kind) {
    case 'check':
      return (await program.check(config, tell)) ? 0 : 1;
    case 'errand':
      print(`${await program.errands[command.name]?.run(config)}\n`);
      return 0;
    case 'serve':
      await program.serve(config, command.serving);
      return 0;
  }
};
