import { ProgramError } from '@mcpl-bridges/chat/program';
import { GatewayCloseCodes } from 'discord.js';

/** A login that will fail again however often it is tried. */
export class LoginRefused extends ProgramError {
  override readonly name = 'LoginRefused';
}

/** Process exit codes, so that an operator's supervisor can tell them apart; 2 is a wrong configuration. */
export const ExitCode = { Token: 3, Intents: 4, Sharding: 5 } as const;

const PORTAL = 'discord.com/developers/applications › your app › Bot';

/** Why Discord does not let the bot in. */
type Refusal = 'token' | 'disallowed-intents' | 'invalid-intents' | 'sharding';

/** @param privileged the privileged intents that were asked for, by their names in the developer portal */
const refused = (refusal: Refusal, privileged: readonly string[]): LoginRefused => {
  switch (refusal) {
    case 'token':
      return new LoginRefused(
        `Discord does not accept DISCORD_TOKEN: copy a new one from ${PORTAL} › Reset Token`,
        ExitCode.Token,
      );
    case 'disallowed-intents':
      return new LoginRefused(
        `Discord refuses the ${privileged.join(' or the ')} intent: switch on ${privileged.map((one) => `"${one} Intent"`).join(' and ')} at ${PORTAL} › Privileged Gateway Intents`,
        ExitCode.Intents,
      );
    case 'invalid-intents':
      return new LoginRefused('Discord does not know the intents asked for: this version is too old', ExitCode.Intents);
    case 'sharding':
      return new LoginRefused(
        'the bot is in too many servers for the connections it has: started again, it opens as many as Discord recommends',
        ExitCode.Sharding,
      );
  }
};

/** Reads what discord.js says when a login can never work; `undefined` for failures worth another try. */
export const readLoginError = (error: unknown, privileged: readonly string[]): LoginRefused | undefined => {
  const { code, message = '', status } = error as { code?: unknown; message?: string; status?: number };
  if (code === 'TokenInvalid' || code === 'TokenMissing' || status === 401 || /4004/.test(message))
    return refused('token', privileged);
  if (code === 'DisallowedIntents' || /disallowed intent/i.test(message))
    return refused('disallowed-intents', privileged);
  if (code === 'InvalidIntents') return refused('invalid-intents', privileged);
  if (code === 'ShardingRequired') return refused('sharding', privileged);
  return undefined;
};

/** Reads the code of a connection that was closed for good; those that come back have none of these. */
export const readCloseCode = (code: number, privileged: readonly string[]): LoginRefused | undefined => {
  switch (code) {
    case GatewayCloseCodes.AuthenticationFailed:
      return refused('token', privileged);
    case GatewayCloseCodes.DisallowedIntents:
      return refused('disallowed-intents', privileged);
    case GatewayCloseCodes.InvalidIntents:
    case GatewayCloseCodes.InvalidAPIVersion:
      return refused('invalid-intents', privileged);
    case GatewayCloseCodes.ShardingRequired:
    case GatewayCloseCodes.InvalidShard:
      return refused('sharding', privileged);
    default:
      return undefined;
  }
};
