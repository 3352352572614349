import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  bridgeSettings,
  ConfigError,
  choiceSetting,
  httpUrl,
  listOf,
  pathSetting,
  textSetting,
} from '@mcpl-bridges/chat/program';

const relayUrl = (text: string | undefined, name: string): URL | undefined => {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'ws:' && url?.protocol !== 'wss:')
    throw new ConfigError(`${name} is ${JSON.stringify(text)}; use the relay's address, e.g. wss://portal.example.org`);
  return url;
};

/** Everything that can be set but for secrets, in the order in which `--help` has it. */
export const SETTINGS = {
  url: textSetting('PORTAL_URL', "the relay's address, e.g. wss://portal.example.org", relayUrl),
  allowPlain: choiceSetting(
    'PORTAL_ALLOW_PLAIN',
    ['off', 'on'],
    'off',
    'whether a ws: address on another machine is accepted: everybody on the way can read the token and all talk',
  ),
  persona: textSetting('PORTAL_PERSONA', "with PORTAL_TOKEN: the persona's id", (text) => text),
  personaName: textSetting(
    'PORTAL_PERSONA_NAME',
    'the name that an invitation is taken up under, and that the credentials file is named after',
    (text) => text,
  ),
  credentials: pathSetting(
    'PORTAL_CREDENTIALS',
    'the file that keeps the persona and its token; default ~/.portal/<name>.creds.json',
  ),
  subscriptions: textSetting(
    'PORTAL_SUBSCRIPTIONS',
    'channels that count as open until a host says otherwise, comma-separated ids; default: none',
    (text, name) => new Set(listOf(text, name, /^\d{1,20}$/, 'channel id; write channel,channel')),
  ),
  apiBase: textSetting(
    'DISCORD_API_BASE',
    'the API behind the relay where it is not Discord: files are fetched from its host',
    httpUrl,
  ),
  ...bridgeSettings('PORTAL'),
} as const;

/** A persona's name as part of a file's. */
export const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64) || 'agent';

export const credentialsPath = (config: {
  readonly credentials: { readonly path: string } | undefined;
  readonly personaName: string | undefined;
}): string | undefined =>
  config.credentials?.path ??
  (config.personaName === undefined ? undefined : join(homedir(), '.portal', `${slug(config.personaName)}.creds.json`));
