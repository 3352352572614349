/** A login that will fail again however often it is tried. */
export class LoginRefused extends Error {
  override readonly name = 'LoginRefused';
  constructor(
    /** What the process exits with. */
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** Process exit codes, so that an operator's supervisor can tell them apart. */
export const ExitCode = { Config: 2, Token: 3, Intents: 4, Sharding: 5 } as const;

const PORTAL = 'discord.com/developers/applications › your app › Bot';

/**
 * Reads what discord.js says when a login can never work; `undefined` for failures worth another try.
 * @param privileged the privileged intents that were asked for, by their names there
 */
export const readLoginError = (error: unknown, privileged: readonly string[]): LoginRefused | undefined => {
  const { code, message, status } = error as { code?: unknown; message?: string; status?: number };
  if (code === 'TokenInvalid' || code === 'TokenMissing' || status === 401 || /4004/.test(message ?? ''))
    return new LoginRefused(
      ExitCode.Token,
      `Discord does not accept DISCORD_TOKEN: copy a new one from ${PORTAL} › Reset Token`,
    );
  if (code === 'DisallowedIntents' || /disallowed intent/i.test(message ?? ''))
    return new LoginRefused(
      ExitCode.Intents,
      `Discord refuses the ${privileged.join(' or the ')} intent: switch on ${privileged.map((one) => `"${one} Intent"`).join(' and ')} at ${PORTAL} › Privileged Gateway Intents`,
    );
  if (code === 'InvalidIntents')
    return new LoginRefused(ExitCode.Intents, `Discord does not know the intents asked for: ${message}`);
  if (code === 'ShardingRequired')
    return new LoginRefused(ExitCode.Sharding, 'the bot is in too many servers for the shards it has');
  return undefined;
};
