import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';

/** What each refusal of Discord means for whoever wanted to post, in a sentence it can act on. */
const BY_CODE: Readonly<Record<number, string>> = {
  10003: 'this channel does not exist any more',
  10004: 'this server does not exist any more, or the bot is no longer in it',
  10008: 'this message does not exist any more',
  10013: 'there is no such user',
  10014: 'there is no such emoji here; use one character, or name:id of an emoji of this server',
  20016: 'slow mode is on in this channel; wait before posting again',
  30010: 'this message has the most reactions it can have',
  40005: 'the file is too large for Discord; post a smaller one or a link',
  50005: 'only whoever posted a message can edit it',
  50001: 'the bot cannot see this channel; someone must grant it View Channel',
  50006: 'Discord takes no empty message; write some text',
  50007: 'this user accepts no direct messages from the bot',
  50008: 'this kind of channel takes no messages',
  50013: 'the bot may not do that here; someone must grant it the permission',
  50035: 'Discord does not accept the form of this message',
  50083: 'this thread is archived; it must be reopened before anyone can post in it',
};

/** A sentence for any failure of Discord's REST API. Never holds a token or message text. */
export const explainDiscordError = (error: unknown): string => {
  if (error instanceof DiscordAPIError) {
    const meaning = BY_CODE[Number(error.code)];
    return meaning ? `${meaning} (Discord ${error.code})` : `Discord refused: ${error.message} (${error.code})`;
  }
  if (error instanceof RateLimitError) return 'Discord asks for a pause; try again in a moment';
  if (error instanceof HTTPError) return `Discord is not answering properly (HTTP ${error.status}); try again later`;
  if (error instanceof SyntaxError) return 'Discord answered with something that is not JSON; try again later';
  const { name } = error as Error;
  if (name === 'AbortError' || name === 'TimeoutError')
    return 'Discord did not answer in time; it may still have acted';
  return 'Discord could not be reached; try again later';
};
