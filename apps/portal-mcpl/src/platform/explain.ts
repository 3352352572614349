import { discordMeaning, SendRefused } from '@mcpl-bridges/chat';
import { CallRefused, CallUnknown, NotConnected } from '@mcpl-bridges/portal-client';

const MEANINGS: Readonly<Record<string, string>> = {
  FORBIDDEN: 'the relay does not let this persona do that',
  NOT_FOUND: 'there is no such thing on the relay any more',
  INVALID_PARAMS: 'the relay does not accept that',
  RATE_LIMITED: 'the relay asks for a pause; try again in a moment',
  DISCORD_ERROR: 'Discord refused',
  UNAVAILABLE: 'the relay cannot reach Discord; try again later',
  CONFLICT: 'something else happened meanwhile; look again, then try again',
  INTERNAL: 'the relay failed; try again later',
};

/** A sentence for any failure of a call. Never holds a token or message text. */
const explainCall = (error: unknown): string => {
  if (error instanceof CallRefused) {
    const number = Number(error.code);
    if (Number.isInteger(number)) return discordMeaning(number) ?? `Discord refused: ${error.message} (${number})`;
    const meaning = MEANINGS[error.code] ?? `the relay refused (${error.code})`;
    return `${meaning}: ${error.message}`;
  }
  if (error instanceof CallUnknown || error instanceof NotConnected) return error.message;
  return `the relay could not be asked: ${(error as Error).message}`;
};

/** What the relay answers. @throws SendRefused with what the refusal means */
export const asked = async <T>(attempt: Promise<T>): Promise<T> => {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof SendRefused) throw error;
    throw new SendRefused(explainCall(error));
  }
};
