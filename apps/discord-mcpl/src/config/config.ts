import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { readSecret } from './secrets.js';
import type { Setting } from './setting.js';
import { SETTINGS } from './settings.js';

type Env = Readonly<Record<string, string | undefined>>;

type Settings = { readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never };

export interface Config extends Settings {
  readonly token: string;
  /** What WebSocket callers must present. */
  readonly listenToken: string | undefined;
  /** PEM: makes `--listen` speak `wss:`. */
  readonly listenTls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

/** Every variable the bridge reads, for `--help` and for hosts that pass on only what they are told to. */
export const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['DISCORD_TOKEN', "the bot's token; or DISCORD_TOKEN_FILE, a file that holds it"],
  ...Object.values(SETTINGS).map(({ variable, meaning }) => [variable, meaning] as const),
  ['MCPL_LISTEN_TOKEN', 'with --listen: what callers must present; or MCPL_LISTEN_TOKEN_FILE'],
  ['MCPL_LISTEN_CERT_FILE', 'with --listen: a certificate (PEM); callers then come by wss:'],
  ['MCPL_LISTEN_KEY_FILE', "with --listen: the certificate's key (PEM)"],
];

/** The configuration file's members; each has a variable of the same meaning, which wins. */
const fileSchema = z.strictObject({
  token: z.string().min(1).optional(),
  ...Object.fromEntries(Object.entries(SETTINGS).map(([key, { inFile }]) => [key, inFile.optional()])),
});

/** @throws ConfigError naming the file, the member and what it should be */
const readConfigFile = (path: string): Readonly<Record<string, unknown>> => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const known = Object.keys(fileSchema.shape).join(', ');
  if (issue?.code === 'unrecognized_keys')
    throw new ConfigError(
      `${path}: unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; known are ${known}`,
    );
  throw new ConfigError(`${path}: ${issue?.path.join('.') || 'the file'} ${issue?.message ?? 'is not valid'}`);
};

const pemFile = (env: Env, name: string): Buffer | undefined => {
  const path = env[name]?.trim();
  if (!path) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${(error as Error).message}`);
  }
};

const tlsOf = (env: Env): Config['listenTls'] => {
  const [cert, key] = [pemFile(env, 'MCPL_LISTEN_CERT_FILE'), pemFile(env, 'MCPL_LISTEN_KEY_FILE')];
  if (cert && key) return { cert, key };
  if (cert || key)
    throw new ConfigError('MCPL_LISTEN_CERT_FILE and MCPL_LISTEN_KEY_FILE go together: set both or none');
  return undefined;
};

/**
 * Reads the environment and, where given, a configuration file. Variables win over the file.
 * @throws ConfigError
 */
export const readConfig = (env: Env, configPath: string | undefined): Config => {
  const file = configPath === undefined ? {} : readConfigFile(configPath);
  const token = readSecret(env, 'DISCORD_TOKEN') ?? (file.token as string | undefined);
  if (token === undefined)
    throw new ConfigError(
      'DISCORD_TOKEN is not set: copy the token from discord.com/developers/applications › your app › Bot › Reset Token',
    );
  const settings = Object.entries<Setting<unknown>>(SETTINGS).map(([key, setting]) => {
    const fromEnv = env[setting.variable]?.trim();
    const fromFile = file[key] === undefined ? undefined : String(file[key]).trim();
    return [key, fromEnv ? setting.read(fromEnv, setting.variable) : setting.read(fromFile || undefined, key)];
  });
  return {
    ...(Object.fromEntries(settings) as Settings),
    token,
    listenToken: readSecret(env, 'MCPL_LISTEN_TOKEN'),
    listenTls: tlsOf(env),
  };
};
