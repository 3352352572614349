import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { type Filters, parseDmUsers, parseReactionChannels } from './filters.js';
import { parseGuildFilter } from './guild-filter.js';
import { readSecret } from './secrets.js';

type Env = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** The configuration file's members; each has a variable of the same meaning, which wins. */
const fileSchema = z.strictObject({
  token: z.string().min(1).optional(),
  apiBase: z.url().optional(),
  guildId: z.string().optional(),
  dmUsers: z.string().optional(),
  filtersFile: z.string().optional(),
  reactionChannels: z.string().optional(),
  closedDelivery: z.enum(['addressed', 'all']).optional(),
  store: z.string().optional(),
  logLevel: z.enum(LOG_LEVELS).optional(),
});
type FileConfig = z.infer<typeof fileSchema>;

export interface Config {
  readonly token: string;
  /** Base of the REST API without version, e.g. `https://discord.com/api`; absent means Discord's own. */
  readonly apiBase: string | undefined;
  /** What the variables let through. */
  readonly filters: Filters;
  /** Where the agent hears of reactions. */
  readonly reactionChannels: ReadonlySet<string> | 'all';
  /** A file that says more, and may change. */
  readonly filtersFile: string | undefined;
  readonly closedDelivery: 'addressed' | 'all';
  readonly store: string;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** After how long without a policy the host is called out in the log, ms. */
  readonly policyTimeoutMs: number;
  /** What WebSocket callers must present. */
  readonly listenToken: string | undefined;
  /** PEM: makes `--listen` speak `wss:`. */
  readonly listenTls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

/** Every variable the bridge reads, for `--help` and for hosts that pass on only what they are told to. */
export const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['DISCORD_TOKEN', "the bot's token; or DISCORD_TOKEN_FILE, a file that holds it"],
  ['DISCORD_API_BASE', 'a Discord-compatible API, e.g. http://127.0.0.1:8080/api; default: Discord'],
  ['DISCORD_GUILD_ID', 'only these guilds: guild or guild:channel+channel, comma-separated; default: all'],
  ['DISCORD_DM_USERS', 'only direct messages of these users, comma-separated ids; default: all'],
  [
    'DISCORD_FILTERS_FILE',
    'JSON: guildIds, guildChannels, dmUsers; wins over the two, and is read again when it changes',
  ],
  [
    'DISCORD_REACTION_CHANNELS',
    'where the agent hears of reactions: channel ids, comma-separated, or all; default: nowhere',
  ],
  [
    'DISCORD_CLOSED_DELIVERY',
    'addressed or all: what is delivered of channels the host has not opened; default addressed',
  ],
  [
    'MCPL_STORE',
    'lmdb:<folder>, redis://host:port/0?binding=name (rediss:// for TLS) or memory:; default lmdb: under the state directory',
  ],
  ['MCPL_LOG_LEVEL', `${LOG_LEVELS.join(', ')}; default info`],
  ['MCPL_POLICY_TIMEOUT_MS', 'how long a host may go without sending its policy before the log says so; default 15000'],
  ['MCPL_LISTEN_TOKEN', 'with --listen: what callers must present; or MCPL_LISTEN_TOKEN_FILE'],
  ['MCPL_LISTEN_CERT_FILE', 'with --listen: a certificate (PEM); callers then come by wss:'],
  ['MCPL_LISTEN_KEY_FILE', "with --listen: the certificate's key (PEM)"],
];

/** @throws ConfigError naming the file, the member and what it should be */
const readConfigFile = (path: string): FileConfig => {
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

const oneOf = <T extends string>(env: Env, name: string, allowed: readonly T[], otherwise: T): T => {
  const text = env[name]?.trim();
  if (!text) return otherwise;
  if ((allowed as readonly string[]).includes(text)) return text as T;
  throw new ConfigError(`${name} is ${JSON.stringify(text)}; use one of ${allowed.join(', ')}`);
};

const milliseconds = (env: Env, name: string, otherwise: number): number => {
  const text = env[name]?.trim();
  if (!text) return otherwise;
  if (!/^\d{1,8}$/.test(text))
    throw new ConfigError(`${name} is ${JSON.stringify(text)}; use a number of milliseconds`);
  return Number(text);
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

const apiBaseOf = (text: string | undefined): string | undefined => {
  if (!text) return undefined;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new ConfigError(
      `DISCORD_API_BASE is ${JSON.stringify(text)}; use an http(s) URL such as https://discord.com/api`,
    );
  return text.replace(/\/+$/, '');
};

/**
 * Reads the environment and, where given, a configuration file. Variables win over the file.
 * @throws ConfigError
 */
export const readConfig = (env: Env, configPath: string | undefined): Config => {
  const file = configPath === undefined ? {} : readConfigFile(configPath);
  const token = readSecret(env, 'DISCORD_TOKEN') ?? file.token;
  if (token === undefined)
    throw new ConfigError(
      'DISCORD_TOKEN is not set: copy the token from discord.com/developers/applications › your app › Bot › Reset Token',
    );
  return {
    token,
    apiBase: apiBaseOf(env.DISCORD_API_BASE?.trim() || file.apiBase),
    filters: {
      guilds: parseGuildFilter(env.DISCORD_GUILD_ID ?? file.guildId),
      dmUsers: parseDmUsers(env.DISCORD_DM_USERS ?? file.dmUsers),
      suppressedEmojis: new Set(),
    },
    reactionChannels: parseReactionChannels(env.DISCORD_REACTION_CHANNELS ?? file.reactionChannels),
    filtersFile: env.DISCORD_FILTERS_FILE?.trim() || file.filtersFile,
    closedDelivery: oneOf(env, 'DISCORD_CLOSED_DELIVERY', ['addressed', 'all'], file.closedDelivery ?? 'addressed'),
    store: env.MCPL_STORE?.trim() || file.store || 'lmdb:',
    logLevel: oneOf(env, 'MCPL_LOG_LEVEL', LOG_LEVELS, file.logLevel ?? 'info'),
    policyTimeoutMs: milliseconds(env, 'MCPL_POLICY_TIMEOUT_MS', 15_000),
    listenToken: readSecret(env, 'MCPL_LISTEN_TOKEN'),
    listenTls: tlsOf(env),
  };
};
