import { parseFlags, USAGE } from './flags.js';
import { interact } from './interactive.js';
import { judge } from './judge.js';
import { sayTo } from './lines.js';
import { runAgainstDiscord } from './live.js';
import { play } from './play.js';
import { SCRIPTS } from './script.js';
import { setStage } from './stage.js';

const hasToken = (): boolean => Boolean(process.env.DISCORD_TOKEN || process.env.DISCORD_TOKEN_FILE);

const run = async (argv: readonly string[]): Promise<void> => {
  const flags = parseFlags(argv);
  if (flags === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const say = sayTo(process.stdout, flags.json);
  if (hasToken() && !flags.scripted) return runAgainstDiscord(say);

  const stage = await setStage(flags);
  try {
    const problems = judge(await play(stage, SCRIPTS.lifecycle, say), stage, flags);
    say({ type: 'done', ok: problems.length === 0, ...(problems.length > 0 ? { problems } : {}) });
    if (problems.length > 0) process.exitCode = 1;
    else if (!flags.once) await interact(stage, say);
  } finally {
    await stage.close();
  }
};

run(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`demo: ${error.message}\n`);
  process.exitCode = 1;
});
