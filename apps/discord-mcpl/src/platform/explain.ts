import { discordMeaning } from '@mcpl-bridges/chat';
import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';

/** A sentence for any failure of Discord's REST API. Never holds a token or message text. */
export const explainDiscordError = (error: unknown): string => {
  if (error instanceof DiscordAPIError) {
    const meaning = discordMeaning(Number(error.code));
    return meaning ?? `Discord refused: ${error.message} (${error.code})`;
  }
  if (error instanceof RateLimitError) return 'Discord asks for a pause; try again in a moment';
  if (error instanceof HTTPError) return `Discord is not answering properly (HTTP ${error.status}); try again later`;
  if (error instanceof SyntaxError) return 'Discord answered with something that is not JSON; try again later';
  const { name } = error as Error;
  if (name === 'AbortError' || name === 'TimeoutError')
    return 'Discord did not answer in time; it may still have acted';
  return 'Discord could not be reached; try again later';
};
