import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type AgentEntry, hostSection } from './agents.js';
import { ConfigError, firstConfigProblem } from './config-error.js';
import { fromConnectome } from './connectome.js';
import { readServer, type ServerEntry } from './servers.js';

export interface Config {
  readonly servers: ReadonlyMap<string, ServerEntry>;
  /** One, called `main`, where the file names none. */
  readonly agents: readonly AgentEntry[];
  readonly maxSubjects: number | undefined;
}

const entries = z.record(z.string(), z.looseObject({}));

const file = z
  .looseObject({ mcpServers: entries.optional(), mcplServers: entries.optional(), mcplHost: hostSection.default({}) })
  .refine(({ mcpServers, mcplServers }) => (mcpServers === undefined) !== (mcplServers === undefined), {
    error: 'the file must have either mcpServers or mcplServers',
  });

/**
 * Reads a file in the `mcpServers` shape, or connectome-host's `mcplServers`; what only this host knows is under `mcplHost`.
 * @throws ConfigError
 */
export const readConfig = (path: string, env: Readonly<Record<string, string | undefined>> = process.env): Config => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  const whole = file.safeParse(value);
  if (!whole.success) throw firstConfigProblem(path, whole.error, '');
  const { mcpServers, mcplServers, mcplHost } = whole.data;
  const servers = [
    ...Object.entries(mcpServers ?? {}).map(
      ([name, entry]) => [name, readServer(path, `mcpServers.${name}`, entry, env)] as const,
    ),
    ...Object.entries(mcplServers ?? {}).map(
      ([name, entry]) =>
        [name, readServer(path, `mcplServers.${name}`, fromConnectome(entry, dirname(path)), env)] as const,
    ),
  ];
  return {
    servers: new Map(servers),
    agents: mcplHost.agents ?? [{ name: 'main' }],
    maxSubjects: mcplHost.maxSubjects,
  };
};
