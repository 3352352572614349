import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from './errors.js';
import { readSecret } from './secrets.js';
import type { Setting } from './setting.js';

type Env = Readonly<Record<string, string | undefined>>;

/** By the configuration file's member. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** A value that nobody else may see, from `NAME`, the file that `NAME_FILE` names, or the configuration file. */
interface Secret {
  readonly variable: string;
  /** For `--help`. */
  readonly meaning: string;
}

/** What a program can be told. */
export interface Configurable<S extends Settings, K extends string> {
  readonly secrets: Readonly<Record<K, Secret>>;
  readonly settings: S;
}

/** How hosts reach the program, where they dial. */
export interface Listening {
  /** What WebSocket callers must present. */
  readonly listenToken: string | undefined;
  /** PEM: makes `--listen` speak `wss:`. */
  readonly listenTls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

export type ValuesOf<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

export type Configured<S extends Settings, K extends string> = ValuesOf<S> &
  Readonly<Record<K, string | undefined>> &
  Listening;

/** Every variable that is read, for `--help` and for hosts that pass on only what they are told to. */
export const variablesOf = ({ secrets, settings }: Configurable<Settings, string>): (readonly [string, string])[] => [
  ...Object.values(secrets).map(
    ({ variable, meaning }) => [variable, `${meaning}; or ${variable}_FILE, a file that holds it`] as const,
  ),
  ...Object.values(settings).map(({ variable, meaning }) => [variable, meaning] as const),
  ['MCPL_LISTEN_TOKEN', 'with --listen: what callers must present; or MCPL_LISTEN_TOKEN_FILE'],
  ['MCPL_LISTEN_CERT_FILE', 'with --listen: a certificate (PEM); callers then come by wss:'],
  ['MCPL_LISTEN_KEY_FILE', "with --listen: the certificate's key (PEM)"],
];

/** The configuration file's members; each has a variable of the same meaning, which wins. */
const fileSchema = ({ secrets, settings }: Configurable<Settings, string>) =>
  z.strictObject({
    ...Object.fromEntries(Object.keys(secrets).map((key) => [key, z.string().min(1).optional()])),
    ...Object.fromEntries(Object.entries(settings).map(([key, { inFile }]) => [key, inFile.optional()])),
  });

/** @throws ConfigError naming the file, the member and what it should be */
const readConfigFile = (path: string, schema: z.ZodObject): Readonly<Record<string, unknown>> => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const known = Object.keys(schema.shape).join(', ');
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

const tlsOf = (env: Env): Listening['listenTls'] => {
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
export const readConfig = <S extends Settings, K extends string>(
  env: Env,
  configPath: string | undefined,
  configurable: Configurable<S, K>,
): Configured<S, K> => {
  const file = configPath === undefined ? {} : readConfigFile(configPath, fileSchema(configurable));
  const secrets = Object.entries<Secret>(configurable.secrets).map(([key, { variable }]) => [
    key,
    readSecret(env, variable) ?? file[key],
  ]);
  const settings = Object.entries(configurable.settings).map(([key, setting]) => {
    const fromEnv = env[setting.variable]?.trim();
    const fromFile = file[key] === undefined ? undefined : String(file[key]).trim();
    return [key, fromEnv ? setting.read(fromEnv, setting.variable) : setting.read(fromFile || undefined, key)];
  });
  return {
    ...(Object.fromEntries([...settings, ...secrets]) as ValuesOf<S> & Record<K, string | undefined>),
    listenToken: readSecret(env, 'MCPL_LISTEN_TOKEN'),
    listenTls: tlsOf(env),
  };
};
