// Presence under churn: a server of 1,000 in which somebody comes, goes, talks or types 200 times a second, through the
// real bridge to a reader of its stream. `node test/bench/presence.mjs [seconds]`, 60 by default.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChannelType,
  createChannel,
  createGuild,
  Sandbox,
  setPresence,
  setVoice,
  startTyping,
} from '@mcpl-bridges/sandbox';

const SECONDS = Number(process.argv[2] ?? 60);
const MEMBERS = 1000;
const CHANGES_A_SECOND = 200;
const DEBOUNCE_MS = 2000;
const TOKEN = 'bench-token';

const seedOf = (n) => () => {
  n = (Math.imul(n, 1664525) + 1013904223) >>> 0;
  return n / 2 ** 32;
};
const random = seedOf(7);
const pick = (list) => list[Math.floor(random() * list.length)];

const sandbox = await Sandbox.start();
const { world } = sandbox;
const bot = world.createBot('agent', 'agent-token');
const members = Array.from({ length: MEMBERS }, (_, n) => world.createUser(`member-${n}`));
const [reader] = members;
const guild = createGuild(world, 'Big', reader, [...members, bot.user]);
const channel = createChannel(world, guild, 'general', ChannelType.GuildVoice);
setPresence(world, reader, 'online');

const folder = mkdtempSync(join(tmpdir(), 'presence-bench-'));
const tokens = join(folder, 'tokens.json');
const sha256 = createHash('sha256').update(TOKEN).digest('hex');
writeFileSync(tokens, JSON.stringify({ tokens: [{ sha256, user: reader.id }] }));
const program = createRequire(import.meta.url).resolve('discord-mcpl/bin');
const bridge = spawn(process.execPath, [program, '--tcp', '0'], {
  env: {
    PATH: process.env.PATH,
    XDG_STATE_HOME: folder,
    MCPL_STORE: 'memory:',
    DISCORD_TOKEN: 'agent-token',
    DISCORD_API_BASE: sandbox.apiBase,
    MCPL_PRESENCE_LISTEN: '127.0.0.1:0',
    MCPL_PRESENCE_TOKENS: tokens,
    MCPL_PRESENCE_REFS: 'raw',
  },
  stdio: ['ignore', 'ignore', 'pipe'],
});
let log = '';
bridge.stderr.on('data', (text) => {
  log += text;
});
const until = async (what, test) => {
  for (let waited = 0; waited < 30_000; waited += 50) {
    const found = await test();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come:\n${log}`);
};
const port = await until('the port', () => /"port":(\d+)[^\n]*presence is served/.exec(log)?.[1]);
const path = `http://127.0.0.1:${port}/v1/host/mcpl-bridges/channels/discord:${guild.id}:${channel.id}/presence`;
const stream = await until('the channel', async () => {
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${TOKEN}` } }).catch(() => {
    throw new Error(log);
  });
  return answer.status === 200 ? answer : undefined;
});

const memoryMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${bridge.pid}/status`, 'utf8'))[1]) / 1024;
const arrivals = [];
const delays = [];
let bytes = 0;
/** Who has begun to type, and when, as long as no snapshot has said so. */
const begun = new Map();

const readFrames = async () => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream.body) {
    text += decoder.decode(chunk, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop();
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined) continue;
      const now = performance.now();
      arrivals.push(now);
      bytes += frame.length;
      for (const ref of JSON.parse(data).typing) {
        const at = begun.get(ref);
        if (at !== undefined) delays.push(now - at);
        begun.delete(ref);
      }
    }
  }
};
readFrames().catch(() => {});

const typedAt = new Map();
const change = () => {
  const one = pick(members);
  const dice = random();
  if (dice < 0.1) {
    const now = performance.now();
    // Whoever types already is no news.
    if (now - (typedAt.get(one.id) ?? -1e9) > 13_000) begun.set(`user:${one.id}`, now);
    typedAt.set(one.id, now);
    startTyping(world, channel, one.id);
  } else if (dice < 0.3)
    setVoice(world, guild, one, guild.voices.has(one.id) || guild.voices.size > 150 ? undefined : channel);
  else setPresence(world, one, pick(['online', 'idle', 'dnd', 'offline']), [{ name: 'a game', type: 0 }]);
};

const started = performance.now();
const memory = [];
let changes = 0;
let nextSample = 0;
while (performance.now() - started < SECONDS * 1000) {
  const due = ((performance.now() - started) / 1000) * CHANGES_A_SECOND;
  for (; changes < due; changes++) change();
  if (performance.now() - started >= nextSample) {
    memory.push(memoryMb());
    nextSample += (SECONDS * 1000) / 10;
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
}

const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))];
const gaps = arrivals.slice(2).map((at, n) => at - arrivals[n + 1]);
const beyond = delays.map((delay) => delay - DEBOUNCE_MS);
const rounded = (n) => Math.round(n * 10) / 10;
console.log(`${MEMBERS} members, ${rounded(changes / SECONDS)} changes/s for ${SECONDS} s, debounce ${DEBOUNCE_MS} ms`);
console.log(`snapshots: ${arrivals.length}, ${rounded(bytes / arrivals.length / 1024)} KiB each`);
console.log(`between two of them, ms: least ${rounded(Math.min(...gaps))}, median ${rounded(quantile(gaps, 0.5))}`);
console.log(
  `from a change to its snapshot, beyond the debounce, ms (${delays.length} changes): p99 ${rounded(quantile(beyond, 0.99))}, worst ${rounded(Math.max(...beyond))}`,
);
console.log(`memory of the bridge, MiB, ten times on the way: ${memory.map((mb) => Math.round(mb)).join(' ')}`);
bridge.kill('SIGTERM');
await sandbox.close();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
