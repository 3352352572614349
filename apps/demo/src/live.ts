import { AgentLoop, echoModel, Host } from '@mcpl-bridges/host';
import { type Say, sayOccurrence, sayTurn } from './lines.js';
import { startBridge } from './stage.js';
import { DISCORD_BRIDGE } from './ways.js';

const PASSED_ON = [
  'DISCORD_TOKEN',
  'DISCORD_TOKEN_FILE',
  'DISCORD_API_BASE',
  'DISCORD_GUILD_ID',
  'MCPL_STORE',
  'MCPL_LOG_LEVEL',
];

/** The bridge against Discord itself. Every channel is opened; the agent answers only what addresses it. */
export const runAgainstDiscord = async (say: Say): Promise<void> => {
  const env = Object.fromEntries(
    PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  ) as Record<string, string>;
  const bridge = await startBridge(DISCORD_BRIDGE, { MCPL_LOG_LEVEL: 'info', ...env }, (text) =>
    process.stderr.write(text),
  );
  const host = new Host();
  host.on('occurrence', (report) => sayOccurrence(say, report));
  host.on('channels', async (session) => {
    for (const { id } of session.channels.all())
      if (!session.channels.isOpen(id))
        await session.openChannel(id).catch((error: Error) => process.stderr.write(`${error.message}\n`));
  });
  const loop = new AgentLoop({
    host,
    model: echoModel({ onlyWhenAddressed: true }),
    onTurn: (turn) => sayTurn(say, turn),
    onError: (error) => process.stderr.write(`${error.message}\n`),
  });
  process.once('SIGINT', () => void bridge.stop());
  await host.connect(bridge.transport, { serverId: 'discord', endpoint: 'discord-mcpl' });
  const code = await bridge.exited;
  loop.stop();
  process.exitCode = typeof code === 'number' ? code : 0;
};
