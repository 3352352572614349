import {
  ConfigError,
  type Configured,
  isLoopback,
  PRESENCE_SECRET,
  readConfig as read,
} from '@mcpl-bridges/chat/program';
import { SETTINGS } from './settings.js';

/** What can be told the bridge. */
export const CONFIGURABLE = {
  secrets: {
    token: { variable: 'PORTAL_TOKEN', meaning: "the persona's token, instead of a credentials file" },
    invite: { variable: 'PORTAL_INVITE', meaning: 'an invitation, where there are no credentials yet' },
    ...PRESENCE_SECRET,
  },
  settings: SETTINGS,
} as const;

export type Config = Omit<Configured<typeof SETTINGS, 'token' | 'invite' | 'presenceKey'>, 'url'> & {
  readonly url: string;
};

/**
 * Reads the environment and, where given, a configuration file. Variables win over the file.
 * @throws ConfigError
 */
export const readConfig = (env: NodeJS.ProcessEnv, configPath: string | undefined): Config => {
  const { url, ...rest } = read(env, configPath, CONFIGURABLE);
  if (url === undefined)
    throw new ConfigError("PORTAL_URL is not set: set it to the relay's address, e.g. wss://portal.example.org");
  if (url.protocol === 'ws:' && !isLoopback(url.hostname) && rest.allowPlain === 'off')
    throw new ConfigError(
      `PORTAL_URL is ${url.origin}, where everybody on the way could read the token: use wss:, or set PORTAL_ALLOW_PLAIN=on`,
    );
  if ((rest.token === undefined) !== (rest.persona === undefined))
    throw new ConfigError('PORTAL_TOKEN and PORTAL_PERSONA go together: set both, or use a credentials file');
  return { ...rest, url: url.href };
};
