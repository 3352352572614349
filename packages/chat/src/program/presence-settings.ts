import { DEFAULT_DEBOUNCE_MS, PRESENCE_FORMS, type PresenceForm } from '@mcpl-bridges/presence';
import { ConfigError } from './errors.js';
import type { ValuesOf } from './read-config.js';
import { choiceSetting, countSetting, listOf, pathSetting, textSetting } from './setting.js';

/** How the agent is told who is where: by the platform's own id of a channel, or everywhere alike. */
export type PresenceForms = { readonly everywhere: PresenceForm } | { readonly by: ReadonlyMap<string, PresenceForm> };

export const formIn = (forms: PresenceForms, lane: string): PresenceForm =>
  'everywhere' in forms ? forms.everywhere : (forms.by.get(lane) ?? 'off');

const forms = (text: string | undefined, name: string): PresenceForms => {
  const everywhere = PRESENCE_FORMS.find((form) => form === (text ?? 'off'));
  if (everywhere) return { everywhere };
  const entries = listOf(
    text,
    name,
    /^\d{1,21}:(state|digest)$/,
    'form of a channel; write state, digest or channel:state',
  );
  return { by: new Map(entries.map((entry) => entry.split(':') as [string, PresenceForm])) };
};

export interface Address {
  readonly host: string;
  readonly port: number;
}

const address = (text: string | undefined, name: string): Address | undefined => {
  if (text === undefined) return undefined;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535)
    throw new ConfigError(`${name} is ${JSON.stringify(text)}; use host:port such as 127.0.0.1:8790`);
  return { host, port: Number(port) };
};

/** What can be set of presence. @param prefix what the names of the bridge's own variables begin with */
export const presenceSettings = <P extends string>(prefix: P) =>
  ({
    presence: textSetting(
      `${prefix}_PRESENCE`,
      'how the agent is told who is in open channels: state, digest, or channel:state,channel:digest; default off',
      forms,
    ),
    presenceListen: textSetting(
      'MCPL_PRESENCE_LISTEN',
      'host:port where presence is served over HTTP (OpenWOP); default: nowhere',
      address,
    ),
    presenceTokens: pathSetting(
      'MCPL_PRESENCE_TOKENS',
      'JSON: who may read it there, {"tokens":[{"sha256","user"}]}; read again when it changes',
    ),
    presenceRefs: choiceSetting(
      'MCPL_PRESENCE_REFS',
      ['opaque', 'raw'],
      'opaque',
      'whether people are named there by keyed hashes or by their ids',
    ),
    presenceDebounceMs: countSetting(
      'MCPL_PRESENCE_DEBOUNCE_MS',
      { least: 0, most: 10_000, otherwise: DEFAULT_DEBOUNCE_MS },
      'how long changes of who is here are gathered before they are told, ms',
    ),
    presenceRedis: textSetting(
      'MCPL_PRESENCE_REDIS',
      'redis://… (as MCPL_STORE): instances that tell each other who is where, by keys that expire; default: none',
      (text) => text,
    ),
    presenceSeams: choiceSetting(
      'MCPL_PRESENCE_SEAMS',
      ['off', 'on'],
      'off',
      "whether the samples of OpenWOP's conformance suite are served; not in production",
    ),
  }) as const;

/** The secret of presence, for a program's `secrets`. */
export const PRESENCE_SECRET = {
  presenceKey: {
    variable: 'MCPL_PRESENCE_KEY',
    meaning: 'what hashed names are keyed with, at least 16 characters; default: one that is made and kept',
  },
} as const;

export type PresenceConfig = ValuesOf<ReturnType<typeof presenceSettings>> & {
  readonly presenceKey: string | undefined;
};

/** Whether anybody is told who is where. */
export const wantsPresence = ({ presence, presenceListen }: PresenceConfig): boolean =>
  presenceListen !== undefined || 'by' in presence || presence.everywhere !== 'off';

/** What is wrong with it, as far as that can be told without the platform. @throws ConfigError */
export const checkPresence = ({ presenceListen, presenceTokens, presenceKey }: PresenceConfig): void => {
  if (presenceListen && !presenceTokens)
    throw new ConfigError(
      'MCPL_PRESENCE_TOKENS is needed with MCPL_PRESENCE_LISTEN: a JSON file that says who may read',
    );
  if (presenceKey !== undefined && Buffer.byteLength(presenceKey) < 16)
    throw new ConfigError('MCPL_PRESENCE_KEY must have at least 16 characters; e.g. `openssl rand -hex 32` makes one');
};
