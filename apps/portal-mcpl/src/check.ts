import { Checks } from '@mcpl-bridges/chat/program';
import type { Config } from './config/config.js';
import { type Access, accessOf, ownerOf } from './credentials.js';
import { visit } from './visit.js';

/** Tries everything the bridge needs and says what is missing, a line each. Resolves to whether all is well. */
export const check = async (config: Config, say: (line: string) => void): Promise<boolean> => {
  const checks = new Checks(say);
  checks.presence(config);
  await checks.store(config.store, ownerOf(config));
  let access: Access | undefined;
  checks.tried('credentials', () => {
    access = accessOf(config);
  });
  if (!access) return checks.passed;
  if (access.login.kind === 'invite') {
    // Coming in would use the invitation up.
    checks.note(`there are no credentials in ${access.path} yet: the first start, or enroll, takes the invitation up`);
    return checks.passed;
  }
  const seen = await visit(config.url, access);
  if (seen.kind === 'refused')
    checks.report(false, `relay: it does not let ${access.login.credentials.personaId} in: ${seen.reason}`);
  if (seen.kind === 'away') checks.report(false, `relay: ${config.url} does not answer; check PORTAL_URL`);
  if (seen.kind === 'in') {
    const { persona, channels } = seen.ready;
    const visible = channels.filter(({ capabilities }) => capabilities.includes('VIEW_CHANNEL'));
    checks.report(true, `relay: in as ${persona.displayName} (${persona.id})`);
    checks.report(
      visible.length > 0,
      `sees ${visible.length} channels; the relay's operator must let it see at least one`,
    );
  }
  return checks.passed;
};
