import { basename } from 'node:path';
import { ConfigError, type StoreOwner } from '@mcpl-bridges/chat/program';
import { type Credentials, type Login, readCredentials, writeCredentials } from '@mcpl-bridges/portal-client';
import type { Config } from './config/config.js';
import { credentialsPath, slug } from './config/settings.js';
import { PROGRAM } from './version.js';

/** How the persona comes in, and where what it comes in with is kept. */
export interface Access {
  readonly login: Login;
  /** Absent where the token is a variable: a new one could not be kept. */
  readonly path: string | undefined;
  readonly keep: (credentials: Credentials) => void;
}

/** @throws ConfigError that says what is missing */
export const accessOf = (config: Config): Access => {
  const { token, persona, invite, personaName } = config;
  if (token !== undefined && persona !== undefined)
    return {
      login: { kind: 'credentials', credentials: { personaId: persona, token } },
      path: undefined,
      keep: () => {},
    };
  const path = credentialsPath(config);
  if (path === undefined)
    throw new ConfigError('nobody to come in as: set PORTAL_PERSONA_NAME, or PORTAL_CREDENTIALS to a credentials file');
  const keep = (credentials: Credentials): void => writeCredentials(path, credentials);
  const kept = readOrRefuse(path);
  if (kept) return { login: { kind: 'credentials', credentials: kept }, path, keep };
  if (invite === undefined)
    throw new ConfigError(
      `there are no credentials in ${path}: set PORTAL_INVITE to an invitation of the relay's operator`,
    );
  if (personaName === undefined)
    throw new ConfigError('PORTAL_PERSONA_NAME is not set: an invitation is taken up under a name');
  return { login: { kind: 'invite', invite, desiredName: personaName }, path, keep };
};

const readOrRefuse = (path: string): Credentials | undefined => {
  try {
    return readCredentials(path);
  } catch (error) {
    throw new ConfigError(`the credentials cannot be read: ${(error as Error).message}`);
  }
};

/** Two personas on one machine have a folder each. */
export const ownerOf = (config: Config): StoreOwner => ({
  program: PROGRAM,
  account: slug(config.personaName ?? config.persona ?? basename(credentialsPath(config) ?? 'persona', '.creds.json')),
});
