import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type AgentEntry, hostSection } from './agents.js';
import { ConfigError, firstConfigProblem } from './config-error.js';
import { readServer, type ServerEntry } from './servers.js';

export interface Config {
  readonly servers: ReadonlyMap<string, ServerEntry>;
  /** One, called `main`, where the file names none. */
  readonly agents: readonly AgentEntry[];
  readonly maxSubjects: number | undefined;
}

const file = z.looseObject({
  mcpServers: z.record(z.string(), z.looseObject({})),
  mcplHost: hostSection.default({}),
});

/** Reads a file in the `mcpServers` shape; what only this host knows is under `mcplHost`. @throws ConfigError */
export const readConfig = (path: string, env: Readonly<Record<string, string | undefined>> = process.env): Config => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  const whole = file.safeParse(value);
  if (!whole.success) throw firstConfigProblem(path, whole.error, '');
  const { mcpServers, mcplHost } = whole.data;
  const servers = Object.entries(mcpServers).map(
    ([name, entry]) => [name, readServer(path, name, entry, env)] as const,
  );
  return {
    servers: new Map(servers),
    agents: mcplHost.agents ?? [{ name: 'main' }],
    maxSubjects: mcplHost.maxSubjects,
  };
};
