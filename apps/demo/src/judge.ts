import { isDeepStrictEqual } from 'node:util';
import type { DemoFlags } from './flags.js';
import type { Played } from './play.js';
import type { Stage } from './stage.js';

const count = (texts: readonly string[], part: string): number => texts.filter((text) => text.includes(part)).length;
const at = (texts: readonly string[], part: string): number => texts.findIndex((text) => text.includes(part));

/** Does `later` hold all of `earlier`, byte for byte, and then some? */
const extends_ = (later: readonly string[], earlier: readonly string[]): boolean =>
  isDeepStrictEqual(later.slice(0, earlier.length), earlier);

/** What was promised of the `lifecycle` script and is not so; nothing when all is well. */
export const judge = (played: Played, stage: Stage, flags: DemoFlags): string[] => {
  const [one = [], two = [], three = []] = played.turns;
  const problems: string[] = [];
  const promise = (kept: boolean, what: string): void => {
    if (!kept) problems.push(what);
  };
  const outcomes = played.outcomes.get('deploy') ?? [];
  const notice = `[message deleted] ${played.messageIds.get('deploy')} by alice`;

  promise(count(one, 'deploy at 6') === 1, 'turn 1 holds "deploy at 6" once');
  promise(at(one, 'deploy at 6') < at(one, 'bob: ok'), '"deploy at 6" stands before "ok"');
  promise(extends_(two, one), 'turn 2 keeps what turn 1 held');
  promise(count(two, 'deploy at 7') === 1, 'turn 2 adds "deploy at 7"');
  promise(extends_(three, two), 'turn 3 keeps what turn 2 held');
  promise(
    count(three, notice) === 1 && three.length === two.length + 1,
    'turn 3 adds one deletion notice that names alice',
  );
  promise(
    stage.sandbox.history(stage.channel).some((message) => stage.way.isAgents(message)),
    "the agent's reply stands in the channel",
  );
  if (flags.appendOnly) {
    promise(
      isDeepStrictEqual(outcomes, ['accepted', 'accepted', 'accepted', 'accepted']),
      'each occurrence is appended',
    );
    promise(count(one, 'deploy at 5') === 1, 'turn 1 still holds "deploy at 5"');
    promise(count(one, '[message deleted]') === 1, 'turn 1 holds the notice of "never mind"');
  } else {
    promise(
      isDeepStrictEqual(outcomes, ['first', 'replaced', 'appended', 'noted']),
      'first, replaced, appended, noted',
    );
    promise(count(three, 'deploy at 5') === 0, 'no turn holds "deploy at 5"');
    promise(count(three, 'never mind') === 0, 'nothing is left of "never mind"');
    promise(count(two, '[message deleted]') === 0, 'no notice before turn 3');
  }
  return problems;
};
