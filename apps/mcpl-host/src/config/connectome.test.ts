import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from './read-config.js';

const folder = mkdtempSync(join(tmpdir(), 'connectome-'));

const read = (value: unknown) => {
  const path = join(folder, 'mcpl-servers.json');
  writeFileSync(path, JSON.stringify(value));
  return readConfig(path, { THE_TOKEN: 'hush' }).servers;
};

it("connectome-host's file says what is started, what it may do and whether it comes back", () => {
  const servers = read({
    mcplServers: {
      discord: {
        command: 'node',
        args: ['./bridge.js', '--stdio'],
        env: { DISCORD_TOKEN: '${THE_TOKEN}' },
        toolPrefix: 'discord',
        enabledFeatureSets: ['discord.messaging'],
        reconnect: false,
      },
      far: { url: 'ws://127.0.0.1:1', token: 't', disabledFeatureSets: ['x'], reconnect: true },
    },
  });
  expect(servers.get('discord')).toMatchObject({
    kind: 'spawned',
    args: [join(folder, 'bridge.js'), '--stdio'],
    env: { DISCORD_TOKEN: 'hush' },
    mcpl: { enabled: ['discord.messaging'], restart: { when: 'never' } },
  });
  expect(servers.get('far')).toMatchObject({
    kind: 'dialled',
    mcpl: { disabled: ['x'], restart: { when: 'always' } },
  });
});

it('a file that has neither shape, or both, is refused', () => {
  for (const value of [{}, { mcpServers: {}, mcplServers: {} }])
    expect(() => read(value)).toThrow('the file must have either mcpServers or mcplServers');
  expect(() => read({ mcplServers: { discord: { args: [] } } })).toThrow(/mcplServers\.discord/);
});
