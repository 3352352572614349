// From the sandbox's gateway to the host's journal, through the bridge as its own process: a flood of messages, a hundred
// deleted at once, and a start into a server of a thousand channels; with the memory store and with LMDB, in turns.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Host, spawnServer, whenRegistered } from '@mcpl-bridges/host';
import { createChannel, createGuild, Sandbox } from '@mcpl-bridges/sandbox';

const ROUNDS = 3;
const FLOOD = Number(process.env.MCPL_BENCH_FLOOD ?? 10_000);
const CHANNELS = Number(process.env.MCPL_BENCH_CHANNELS ?? 1000);
const BULK = 100;
const BRIDGE = fileURLToPath(new URL('../../apps/discord-mcpl/dist/main.js', import.meta.url));

const scene = async (store, channels) => {
  const sandbox = await Sandbox.start();
  const bot = sandbox.world.createBot('agent', 'token');
  const alice = sandbox.world.createUser('alice');
  const guild = createGuild(sandbox.world, 'Home', alice, [bot.user]);
  const rooms = Array.from({ length: channels }, (_, n) => createChannel(sandbox.world, guild, `room-${n}`));
  const env = { DISCORD_TOKEN: 'token', DISCORD_API_BASE: sandbox.apiBase, MCPL_STORE: store, MCPL_LOG_LEVEL: 'error' };
  const started = performance.now();
  const bridge = await spawnServer({ command: process.execPath, args: [BRIDGE], env }, (text) =>
    process.stderr.write(text),
  );
  const host = new Host();
  host.setMaxListeners(0);
  const session = await host.connect(bridge.transport, { serverId: 'discord', endpoint: 'discord-mcpl' });
  const idOf = (room) => `discord:${guild.id}:${room.id}`;
  const registered = Promise.all(rooms.map((room) => whenRegistered(host, session, idOf(room))));
  const stop = async () => {
    await host.close();
    await bridge.stop();
    await sandbox.close();
  };
  return { sandbox, alice, rooms, host, session, idOf, started, registered, stop };
};

/** Resolves once the host has admitted `count` occurrences more. */
const admitted = (host, count) =>
  new Promise((resolve) => {
    let left = count;
    const look = () => {
      left -= 1;
      if (left > 0) return;
      host.off('occurrence', look);
      resolve();
    };
    host.on('occurrence', look);
  });

const talk = async (store) => {
  const { sandbox, alice, rooms, host, session, idOf, registered, stop } = await scene(store, 1);
  await registered;
  const [room] = rooms;
  await session.openChannel(idOf(room));
  let started = performance.now();
  const flooded = admitted(host, FLOOD);
  const messages = [];
  for (let n = 0; n < FLOOD; n++) {
    messages.push(sandbox.post(room, alice, `message ${n}, of a usual length, as people write them`));
    // The gateway must get to write, too.
    if (n % 500 === 499) await new Promise((resolve) => setImmediate(resolve));
  }
  await flooded;
  const rate = FLOOD / ((performance.now() - started) / 1000);
  started = performance.now();
  const deleted = admitted(host, BULK);
  sandbox.bulkDelete(
    room,
    messages.slice(-BULK).map(({ id }) => id),
  );
  await deleted;
  const bulk = performance.now() - started;
  await stop();
  return { rate, bulk };
};

const start = async (store) => {
  const { started, registered, stop } = await scene(store, CHANNELS);
  await registered;
  const ms = performance.now() - started;
  await stop();
  return ms;
};

const folder = mkdtempSync(join(tmpdir(), 'bench-discord-'));
const stores = [
  ['memory', () => 'memory:'],
  ['LMDB', (round) => `lmdb:${join(folder, String(round))}`],
];
const results = new Map(stores.map(([name]) => [name, []]));
for (let round = 0; round < ROUNDS; round++)
  for (const [name, storeOf] of stores)
    results.get(name).push({ ...(await talk(storeOf(round))), start: await start(storeOf(`${round}-start`)) });

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const spread = (values) => Math.round((100 * (Math.max(...values) - Math.min(...values))) / median(values));
for (const [name, runs] of results) {
  const [rates, bulks, starts] = ['rate', 'bulk', 'start'].map((what) => runs.map((run) => run[what]));
  process.stdout.write(
    `${name.padEnd(8)} ${FLOOD} messages: ${Math.round(median(rates)).toLocaleString('en')} /s (spread ${spread(rates)} %)  ` +
      `${BULK} deleted at once: ${Math.round(median(bulks))} ms (spread ${spread(bulks)} %)  ` +
      `start with ${CHANNELS} channels: ${(median(starts) / 1000).toFixed(1)} s (spread ${spread(starts)} %)\n`,
  );
}
rmSync(folder, { recursive: true, force: true });
process.exit(0);
