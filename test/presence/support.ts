import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventSource } from 'eventsource';
import { vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import type { Way } from '../helpers/platforms.js';
import { openRoom, openScene, type Room, type Scene, type SceneOptions } from '../helpers/scene.js';

export const SOON = { timeout: 15_000, interval: 20 };

/** What a token file says of one token. */
export interface TokenEntry {
  readonly sha256: string;
  readonly user?: string;
  readonly agent?: string;
  readonly tenant?: string;
}

export const tokenOf = (name: string): string => `token-of-${name}`;
export const entryOf = (name: string, who: Omit<TokenEntry, 'sha256'>): TokenEntry => ({
  sha256: createHash('sha256').update(tokenOf(name)).digest('hex'),
  ...who,
});

export interface Payload {
  readonly conversationId: string;
  readonly present: readonly string[];
  readonly typing: readonly string[];
}

export interface PresenceScene<W extends Way = Way> extends Scene<W> {
  readonly base: string;
  /** Of the program's state. */
  readonly folder: string;
  /** Takes the place of what the token file said. */
  setTokens(entries: readonly TokenEntry[]): void;
  get(path: string, name?: string): Promise<Response>;
  /** What is told of a channel, newest last. */
  watch(name: string, channelId: string): { readonly seen: Payload[]; readonly failures: number[] };
}

export const presencePath = (channelId: string): string =>
  `/v1/host/mcpl-bridges/channels/${encodeURIComponent(channelId)}/presence`;

/** Server-sent events, asked for as nobody's browser could: with headers. Closed after the test. */
export const sourceAt = (address: string, more: Readonly<Record<string, string>>): EventSource => {
  const source = new EventSource(address, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...more } }),
  });
  afterThisTest(async () => source.close());
  return source;
};

/** A bridge that serves presence; `alice` and `bob` have tokens, or who `entries` says. */
export const openPresence = async <W extends Way = Way>(
  options: SceneOptions<W> & { readonly entries?: (room: Room) => readonly TokenEntry[] } = {},
): Promise<PresenceScene<W>> => {
  const room = options.room ?? (await openRoom());
  const { alice, bob } = room;
  const folder = mkdtempSync(join(tmpdir(), 'presence-'));
  afterThisTest(async () => rmSync(folder, { recursive: true, force: true }));
  const tokens = join(folder, 'tokens.json');
  const setTokens = (entries: readonly TokenEntry[]): void =>
    writeFileSync(tokens, JSON.stringify({ tokens: entries }));
  setTokens(options.entries?.(room) ?? [entryOf('alice', { user: alice.id }), entryOf('bob', { user: bob.id })]);
  const scene = await openScene<W>({
    ...options,
    room,
    env: {
      MCPL_PRESENCE_LISTEN: '127.0.0.1:0',
      MCPL_PRESENCE_TOKENS: tokens,
      MCPL_PRESENCE_DEBOUNCE_MS: '50',
      XDG_STATE_HOME: folder,
      ...options.env,
    },
  });
  const port = await vi.waitFor(() => {
    const [, found] = /"port":(\d+)[^\n]*"msg":"presence is served"/.exec(scene.stderr()) ?? [];
    if (found === undefined) throw new Error('presence is not served yet');
    return found;
  }, SOON);
  const base = `http://127.0.0.1:${port}`;
  const headers = (name?: string): Record<string, string> =>
    name === undefined ? {} : { Authorization: `Bearer ${tokenOf(name)}` };
  return {
    ...scene,
    base,
    folder,
    setTokens,
    get: (path, name) => fetch(base + path, { headers: headers(name) }),
    watch: (name, channelId) => {
      const seen: Payload[] = [];
      const failures: number[] = [];
      const source = sourceAt(base + presencePath(channelId), headers(name));
      source.addEventListener('channel.presence', ({ data }) => seen.push(JSON.parse(data) as Payload));
      source.addEventListener('error', ({ code }) => failures.push(code ?? 0));
      return { seen, failures };
    },
  };
};
