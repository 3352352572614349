import { ProgramError } from '@mcpl-bridges/chat/program';
import type { Config } from './config/config.js';
import { accessOf } from './credentials.js';
import { visit } from './visit.js';

/** Takes an invitation up and keeps the credentials; what came of it, in a sentence. @throws ConfigError @throws ProgramError */
export const enroll = async (config: Config): Promise<string> => {
  const access = accessOf(config);
  if (access.login.kind === 'credentials')
    return `${access.login.credentials.personaId} is enrolled already${access.path === undefined ? '' : `; its credentials are in ${access.path}`}`;
  const seen = await visit(config.url, access);
  switch (seen.kind) {
    case 'in':
      return `enrolled ${seen.ready.persona.displayName} as ${seen.ready.persona.id}; its credentials are in ${access.path}`;
    case 'refused':
      throw new ProgramError(`the relay does not accept PORTAL_INVITE: ${seen.reason}`, 3);
    case 'away':
      throw new ProgramError(`the relay at ${config.url} does not answer; check PORTAL_URL, and try again`, 1);
  }
};
