import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PresencePayload } from '../feed/snapshot.js';
import { SubjectRefs } from '../refs.js';
import { HandClock, Room, SCOPE } from '../room.testkit.js';
import type { Signal, Status } from '../tracker/signal.js';
import { BrowserSessions } from './browser-sessions.js';
import type { Caller } from './callers.js';
import { Gate } from './gate.js';
import { PresenceStream } from './presence-stream.js';

const USERS = ['alice', 'bob', 'cara'];
const CHANNELS = ['general', 'random'];

type Command =
  | { readonly kind: 'admit' | 'remove'; readonly channelId: string; readonly userId: string }
  | { readonly kind: 'tell'; readonly signal: Signal }
  | { readonly kind: 'revoke' | 'grant'; readonly userId: string }
  | { readonly kind: 'pass'; readonly ms: number }
  /** A slow reader takes what was written last. */
  | { readonly kind: 'read' };

const user = fc.constantFrom(...USERS);
const channel = fc.constantFrom(...CHANNELS);
const signal: fc.Arbitrary<Signal> = fc.oneof(
  fc.record({
    kind: fc.constant('status' as const),
    scope: fc.constant(SCOPE),
    userId: user,
    status: fc.constantFrom<Status>('online', 'idle', 'offline'),
  }),
  fc.record({ kind: fc.constant('typing' as const), channelId: channel, userId: user }),
  fc.record({ kind: fc.constant('spoke' as const), channelId: channel, userId: user }),
  fc.record({ kind: fc.constant('voice' as const), scope: fc.constant(SCOPE), userId: user, channelId: channel }),
);
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constantFrom('admit' as const, 'remove' as const), channelId: channel, userId: user }),
  fc.record({ kind: fc.constant('tell' as const), signal }),
  fc.record({ kind: fc.constantFrom('revoke' as const, 'grant' as const), userId: user }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(4000) }),
  fc.record({ kind: fc.constant('read' as const) }),
);

/** Resolves when whatever can go on has gone on. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
};

/** Readers of one channel each, or of all, that take their time. */
class Readers {
  readonly clock = new HandClock();
  readonly room = new Room({ time: this.clock, debounceMs: 500 });
  private readonly tokens = new Map<string, Caller>();
  private readonly gate = new Gate(() => this.tokens, new BrowserSessions(() => 0), this.room.feed);
  private readonly refs = new SubjectRefs({ key: new Uint8Array(16), platform: 't', use: 't', raw: true });
  private readonly blocked: (() => void)[] = [];
  readonly wrongs: string[] = [];
  /** Frames that were written. */
  written = 0;
  readonly streams = new Map<string, { stream: PresenceStream; last: Map<string, string>; ended: boolean }>();

  constructor() {
    for (const id of CHANNELS) this.room.open(id, 'agent', ...USERS);
    this.room.online('agent');
    for (const id of USERS) this.grant(id);
    this.room.feed.watchRoster(() => this.look());
    for (const id of USERS) for (const channelId of [...CHANNELS, undefined]) this.open(id, channelId);
  }

  run(command: Command): void {
    const { room, clock } = this;
    switch (command.kind) {
      case 'admit':
        room.admit(command.channelId, command.userId);
        break;
      case 'remove':
        room.remove(command.channelId, command.userId);
        break;
      case 'tell':
        room.tell(command.signal);
        break;
      case 'revoke':
        this.tokens.delete(command.userId);
        this.look();
        break;
      case 'grant':
        this.grant(command.userId);
        break;
      case 'pass':
        clock.pass(command.ms);
        break;
      case 'read':
        this.blocked.shift()?.();
    }
  }

  /** An interval passes in which nothing happens of itself. */
  passQuietly(): void {
    const { clock, room } = this;
    let ends: number | undefined;
    do {
      ends = room.feed.tracker.nextExpiry;
      clock.pass(500);
    } while (ends !== undefined && ends <= clock.monotonic());
  }

  /** Everybody reads what there is. */
  async readAll(): Promise<void> {
    for (let idle = 0; idle < 5; idle++) {
      while (this.blocked.length > 0) {
        this.blocked.shift()?.();
        idle = 0;
      }
      await settled();
    }
  }

  private grant(id: string): void {
    this.tokens.set(id, { token: id, id });
  }

  private look(): void {
    for (const { stream } of this.streams.values()) stream.look();
  }

  private open(id: string, channelId: string | undefined): void {
    const reader = { last: new Map<string, string>(), ended: false } as {
      stream: PresenceStream;
      last: Map<string, string>;
      ended: boolean;
    };
    reader.stream = new PresenceStream({
      feed: this.room.feed,
      gate: this.gate,
      refs: this.refs,
      isAgent: (userId) => userId === 'agent',
      caller: { token: id, id },
      emits: () => true,
      ...(channelId === undefined ? {} : { channelId }),
      frameOf: (payload) => JSON.stringify(payload),
      write: (text) => {
        const payload = JSON.parse(text) as PresencePayload;
        this.written += 1;
        this.check(id, payload);
        if (reader.last.get(payload.conversationId) === text) this.wrongs.push(`${id} reads the same twice: ${text}`);
        reader.last.set(payload.conversationId, text);
        return new Promise((resolve) => this.blocked.push(resolve));
      },
      end: () => {
        reader.ended = true;
      },
    });
    this.streams.set(`${id} ${channelId ?? 'all'}`, reader);
  }

  /** What is written is for who may see it now, and names nobody else. */
  private check(reader: string, { conversationId, present, typing }: PresencePayload): void {
    const isMember = (id: string) => this.room.isMember(conversationId, id);
    if (!this.tokens.has(reader) || !isMember(reader)) this.wrongs.push(`${reader} reads of ${conversationId}`);
    for (const ref of [...present, ...typing])
      if (!isMember(ref.replace(/^\w+:/, ''))) this.wrongs.push(`${reader} reads of ${ref} in ${conversationId}`);
    for (const ref of typing) if (!present.includes(ref)) this.wrongs.push(`${ref} types and is not there`);
  }

  /** Who reads a channel still has read what is there now. */
  expectCurrent(): void {
    for (const [name, { last, ended }] of this.streams) {
      const [id = '', channelId = ''] = name.split(' ');
      if (ended || channelId === 'all' || !this.room.isMember(channelId, id)) continue;
      const { present = [], typing = [] } = JSON.parse(last.get(channelId) ?? '{}') as Partial<PresencePayload>;
      const now = this.room.feed.look(channelId);
      const plain = (refs: readonly string[]) => refs.map((ref) => ref.replace(/^\w+:/, '')).sort();
      expect([name, plain(present), plain(typing)]).toEqual([name, [...now.present].sort(), [...now.typing].sort()]);
    }
  }
}

describe('under random joins, leaves, changes of rights and slow readers', () => {
  it('nobody reads of a channel who may not see it, and nobody is named who may not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 150, size: 'max' }), async (commands) => {
        const readers = new Readers();
        for (const one of commands) {
          readers.run(one);
          await settled();
        }
        readers.passQuietly();
        await readers.readAll();
        expect(readers.wrongs).toEqual([]);
        expect(readers.written).toBeGreaterThan(0);
        readers.expectCurrent();
      }),
      { numRuns: Number(process.env.MCPL_PRESENCE_RUNS ?? 200) },
    );
  });
});
