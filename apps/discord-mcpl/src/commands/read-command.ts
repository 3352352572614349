import type { HostCommand } from '@mcpl-bridges/chat';

/** The options of a slash command, as far as these are used. */
export interface CommandOptions {
  getInteger(name: string): number | null;
  getString(name: string): string | null;
}

/** What is wrong with what somebody typed, for them to read. */
export class CommandProblem extends Error {
  override readonly name = 'CommandProblem';
}

/** What a slash command asks for. @throws CommandProblem */
export const readCommand = (name: string, options: CommandOptions, channelId: string): HostCommand => {
  switch (name) {
    case 'undo':
      return { command: 'undo', messages: options.getInteger('messages') ?? 1 };
    case 'hide': {
      const fromMessageId = messageIdIn(options.getString('message') ?? '');
      const to = options.getString('to');
      return { command: 'hide', fromMessageId, ...(to === null ? {} : { toMessageId: messageIdIn(to) }) };
    }
    case 'nudge':
      return { command: 'nudge' };
    case 'unstick': {
      const max = options.getInteger('max');
      return { command: 'unstick', channelId, ...(max === null ? {} : { maxRewinds: max }) };
    }
    default:
      throw new CommandProblem(`/${name} is no command of this bot any more.`);
  }
};

/** A link to a message, `<channel>-<message>` as some clients copy it, or an id. */
const MESSAGE = /^(?:https?:\/\/\S+\/channels\/(?:\d+|@me)\/\d+\/|\d+-)?(?<id>\d{17,20})$/;

const messageIdIn = (text: string): string => {
  const id = MESSAGE.exec(text.trim())?.groups?.id;
  if (id === undefined)
    throw new CommandProblem(`\`${text.replaceAll('`', "'").slice(0, 100)}\` is no message: copy its link, or its id.`);
  return id;
};
