import { createInterface } from 'node:readline';
import { AgentLoop, echoModel } from '@mcpl-bridges/host';
import type { Message } from '@mcpl-bridges/sandbox';
import { type Say, sayOccurrence, sayTurn } from './lines.js';
import type { Stage } from './stage.js';

const HELP = `
now you: each line is done in the channel; the agent reads after a quiet moment
  alice TEXT | bob TEXT    post           edit TEXT    edit the last post
  delete                   delete it      quit
`;

/** Lets somebody act in the sandbox from the keyboard, until `quit` or the end of input. */
export const interact = async (stage: Stage, say: Say): Promise<void> => {
  const { sandbox, channel, people, host } = stage;
  host.on('occurrence', (report) => sayOccurrence(say, report));
  const loop = new AgentLoop({
    host,
    model: echoModel(),
    wake: { rules: [], otherwise: { kind: 'debounce', ms: 3000, maxMs: 10_000 } },
    onTurn: (turn) => sayTurn(say, turn),
    onError: (error) => process.stderr.write(`${error.message}\n`),
  });
  process.stderr.write(HELP);
  let last: Message | undefined;
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb = '', ...words] = line.trim().split(' ');
    const text = words.join(' ');
    if (verb === 'quit') break;
    if ((verb === 'alice' || verb === 'bob') && text !== '') last = sandbox.post(channel, people[verb], text);
    else if (verb === 'edit' && last && text !== '') sandbox.edit(channel, last, text);
    else if (verb === 'delete' && last) {
      sandbox.delete(channel, last);
      last = undefined;
    } else process.stderr.write(HELP);
  }
  loop.stop();
  // An open pipe would keep the process alive.
  process.stdin.destroy();
};
