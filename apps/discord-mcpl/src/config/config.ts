import { ConfigError, type Configured, PRESENCE_SECRET, readConfig as read } from '@mcpl-bridges/chat/program';
import { SETTINGS } from './settings.js';

/** What can be told the bridge. */
export const CONFIGURABLE = {
  secrets: { token: { variable: 'DISCORD_TOKEN', meaning: "the bot's token" }, ...PRESENCE_SECRET },
  settings: SETTINGS,
} as const;

export type Config = Configured<typeof SETTINGS, 'token' | 'presenceKey'> & { readonly token: string };

/**
 * Reads the environment and, where given, a configuration file. Variables win over the file.
 * @throws ConfigError
 */
export const readConfig = (env: NodeJS.ProcessEnv, configPath: string | undefined): Config => {
  const { token, ...rest } = read(env, configPath, CONFIGURABLE);
  if (token === undefined)
    throw new ConfigError(
      'DISCORD_TOKEN is not set: copy the token from discord.com/developers/applications › your app › Bot › Reset Token',
    );
  return { ...rest, token };
};
