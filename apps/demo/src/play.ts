import { scriptedModel } from '@mcpl-bridges/host';
import type { Message } from '@mcpl-bridges/sandbox';
import { type Say, sayOccurrence, sayTurn } from './lines.js';
import type { Step } from './script.js';
import type { Stage } from './stage.js';

/** What the model read, turn by turn, and what became of each occurrence of each message. */
export interface Played {
  readonly turns: readonly (readonly string[])[];
  readonly outcomes: ReadonlyMap<string, readonly string[]>;
  readonly messageIds: ReadonlyMap<string, string>;
}

/** Plays `script` on `stage`; each step is over when the host has answered for it. */
export const play = async (stage: Stage, script: readonly Step[], say: Say): Promise<Played> => {
  const { sandbox, channel, people, host, way } = stage;
  const messages = new Map<string, Message>();
  const outcomes = new Map<string, string[]>();
  const edits = new Map<string, number>();
  const turns: (readonly string[])[] = [];
  const message = (ref: string): Message => {
    const found = messages.get(ref);
    if (!found) throw new Error(`the script speaks of ${ref} before it is posted`);
    return found;
  };
  const settled = async (ref: string, action: 'create' | 'edit' | 'delete', revision = ''): Promise<void> => {
    const report = await stage.reports.of(`${way.serverId}:${action}:${way.messageId(message(ref))}${revision}`);
    outcomes.set(ref, [...(outcomes.get(ref) ?? []), report.outcome]);
    sayOccurrence(say, report);
  };

  for (const step of script) {
    switch (step.do) {
      case 'post': {
        const posted = sandbox.post(channel, people[step.as], step.text);
        messages.set(step.ref, posted);
        await settled(step.ref, 'create');
        break;
      }
      case 'edit': {
        const edited = sandbox.edit(channel, message(step.ref), step.text);
        const n = (edits.get(step.ref) ?? 0) + 1;
        edits.set(step.ref, n);
        await settled(step.ref, 'edit', `:${way.revision(edited, n)}`);
        break;
      }
      case 'delete':
        sandbox.delete(channel, message(step.ref));
        await settled(step.ref, 'delete');
        break;
      case 'turn': {
        const turn = await host.turn(
          scriptedModel([step.reply ? { text: step.reply, channelId: way.channelId } : null]),
        );
        turns.push(turn.context);
        sayTurn(say, turn);
      }
    }
  }
  return { turns, outcomes, messageIds: new Map([...messages].map(([ref, one]) => [ref, way.messageId(one)])) };
};
