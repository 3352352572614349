import { SendRefused } from '@mcpl-bridges/chat';
import { explainDiscordError } from './explain.js';

/** What Discord answers. @throws SendRefused with what the refusal means */
export const asked = async <T>(attempt: Promise<unknown>): Promise<T> => {
  try {
    return (await attempt) as T;
  } catch (error) {
    throw new SendRefused(explainDiscordError(error));
  }
};
