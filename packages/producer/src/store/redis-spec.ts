/** Where a Redis is, and whose keys are meant. */
export interface RedisSpec {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** The name that Sentinel knows the master by. */
  readonly master: string;
  /** Whose occurrences these are: two bridges that share a Redis need two names. */
  readonly binding: string;
  /** A part of the binding that is worked on by itself, such as a Discord shard. */
  readonly shard?: string;
  /** Replicas that must have a commit before it counts. */
  readonly replicas: number;
  /** After how long without a sign of life another instance takes over, ms. */
  readonly leaseMs: number;
}

const FORM = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?@]+)(?:\/(\d*))?(?:\?(.*))?$/;
const PARAMETERS = ['binding', 'shard', 'master', 'replicas', 'lease'];
const DEFAULT_PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 } as const;
const DEFAULT_LEASE_MS = 15_000;

/**
 * Reads `redis://[user:password@]host[:port][/db]`, `redis+sentinel://host:port,…[/db]?master=<name>` or
 * `redis+cluster://host:port,…`, each also with `rediss` for TLS, and the parameters `binding`, `shard`, `replicas` and
 * `lease` (ms).
 * @throws Error that names the part that is wrong
 */
export const readRedisSpec = (text: string, binding: string): RedisSpec => {
  const match = FORM.exec(text);
  if (!match)
    throw new Error('must look like redis://host:port, redis+sentinel://h1,h2?master=name or redis+cluster://h1,h2');
  const [, scheme, form = 'single', login = '', hosts = '', db, query] = match;
  const kind = form as RedisSpec['kind'];
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys())
    if (!PARAMETERS.includes(name)) throw new Error(`?${name}= is not known; known are ${PARAMETERS.join(', ')}`);
  const replicas = numberOf(parameters, 'replicas', 0, 0);
  if (replicas > 0 && kind === 'cluster')
    throw new Error('?replicas= cannot be asked of a cluster; use min-replicas-to-write there');
  if (kind === 'single' && hosts.includes(',')) throw new Error('several hosts need redis+sentinel: or redis+cluster:');
  const [username, password] = loginOf(login);
  const shard = parameters.get('shard');
  return {
    kind,
    hosts: hosts.split(',').map((one) => hostOf(one, DEFAULT_PORTS[kind])),
    tls: scheme === 'rediss',
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    db: Number(db || 0),
    master: parameters.get('master') ?? 'mymaster',
    binding: parameters.get('binding') ?? binding,
    ...(shard === null ? {} : { shard }),
    replicas,
    leaseMs: numberOf(parameters, 'lease', DEFAULT_LEASE_MS, 1000),
  };
};

const hostOf = (text: string, defaultPort: number): { host: string; port: number } => {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw new Error(`"${text}" is not a host and port`);
  return { host, port: port === undefined ? defaultPort : Number(port) };
};

const loginOf = (login: string): [username: string | undefined, password: string | undefined] => {
  if (login === '') return [undefined, undefined];
  const at = login.indexOf(':');
  if (at === -1) return [decodeURIComponent(login), undefined];
  const username = decodeURIComponent(login.slice(0, at));
  return [username === '' ? undefined : username, decodeURIComponent(login.slice(at + 1))];
};

const numberOf = (parameters: URLSearchParams, name: string, fallback: number, least: number): number => {
  const text = parameters.get(name);
  if (text === null) return fallback;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < least)
    throw new Error(`?${name}= must be a whole number from ${least}`);
  return number;
};
