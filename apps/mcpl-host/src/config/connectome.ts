import { resolve } from 'node:path';

/** What an entry of `mcplServers` says of feature sets and of coming back; the rest is as in `mcpServers`. */
interface ConnectomeEntry extends Readonly<Record<string, unknown>> {
  readonly args?: unknown;
  readonly enabledFeatureSets?: unknown;
  readonly disabledFeatureSets?: unknown;
  readonly reconnect?: unknown;
}

/**
 * An entry of connectome-host's `mcpl-servers.json` as this host has them. Arguments that begin with `./` or `../` are
 * relative to the file's folder. What only that host does with a server, such as tool prefixes, is left alone.
 */
export const fromConnectome = (entry: ConnectomeEntry, folder: string): Record<string, unknown> => {
  const { args, enabledFeatureSets: enabled, disabledFeatureSets: disabled, reconnect, ...rest } = entry;
  const own = (rest.mcpl ?? {}) as Record<string, unknown>;
  return {
    ...rest,
    ...(Array.isArray(args) ? { args: args.map((one) => absolute(one, folder)) } : {}),
    mcpl: {
      ...(enabled === undefined ? {} : { enabled }),
      ...(disabled === undefined ? {} : { disabled }),
      ...(typeof reconnect === 'boolean' ? { restart: { when: reconnect ? 'always' : 'never' } } : {}),
      ...own,
    },
  };
};

const absolute = (argument: unknown, folder: string): unknown =>
  typeof argument === 'string' && /^\.\.?\//.test(argument) ? resolve(folder, argument) : argument;
