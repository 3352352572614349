import { describe, expect, it } from 'vitest';
import { CommandProblem, readCommand } from './read-command.js';

const ID = '11111111111111111';
const OTHER = '22222222222222222222';

const read = (name: string, given: Readonly<Record<string, string | number>> = {}) =>
  readCommand(
    name,
    {
      getInteger: (option) => (given[option] as number | undefined) ?? null,
      getString: (option) => (given[option] as string | undefined) ?? null,
    },
    'c',
  );

describe('a slash command', () => {
  it.each([
    ['undo', {}, { command: 'undo', messages: 1 }],
    ['undo', { messages: 7 }, { command: 'undo', messages: 7 }],
    ['nudge', {}, { command: 'nudge' }],
    ['unstick', {}, { command: 'unstick', channelId: 'c' }],
    ['unstick', { max: 5 }, { command: 'unstick', channelId: 'c', maxRewinds: 5 }],
    ['hide', { message: ID }, { command: 'hide', fromMessageId: ID }],
    [
      'hide',
      { message: ` https://discord.com/channels/1/2/${ID} `, to: `3-${OTHER}` },
      { command: 'hide', fromMessageId: ID, toMessageId: OTHER },
    ],
    ['hide', { message: `https://ptb.discord.com/channels/@me/2/${ID}` }, { command: 'hide', fromMessageId: ID }],
  ])('/%s %o asks for %o', (name, given, command) => {
    expect(read(name, given)).toEqual(command);
  });

  it.each([
    ['hide', { message: 'the one above' }, '`the one above` is no message: copy its link, or its id.'],
    ['hide', { message: ID, to: '`@everyone' }, "`'@everyone` is no message: copy its link, or its id."],
    [
      'hide',
      { message: `https://example.com/${ID}` },
      `\`https://example.com/${ID}\` is no message: copy its link, or its id.`,
    ],
    ['gone', {}, '/gone is no command of this bot any more.'],
  ])('/%s %o is refused in words', (name, given, words) => {
    expect(() => read(name, given)).toThrow(new CommandProblem(words));
  });
});
