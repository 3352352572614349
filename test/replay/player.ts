import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Host, OccurrenceReports } from '@mcpl-bridges/host';
import { type Channel, createChannel } from '@mcpl-bridges/sandbox';
import { expect, vi } from 'vitest';
import type { PlatformUnderTest, Way } from '../helpers/platforms.js';
import { openRoom, openScene, type Room, type Scene } from '../helpers/scene.js';
import { type Moment, type Sequence, type Stage, stageOf } from './stage.js';

const envOf = ({ prefix }: Way) => ({
  [`${prefix}_REACTION_CHANNELS`]: 'all',
  [`${prefix}_SYSTEM_MESSAGES`]: 'on',
  MCPL_LOG_LEVEL: 'warn',
});

/** What a sequence's model read, look by look, beside what it should have. */
export interface Outcome {
  readonly expected: (readonly string[])[];
  readonly read: (readonly string[])[];
}

/** Something that strikes the bridge: before everybody acts once, and after. */
export interface Fault<W extends Way = Way> {
  readonly before?: (struck: Room & { readonly way: W }) => void;
  readonly after?: (stricken: Stricken<W>) => void | Promise<void>;
}

interface Stricken<W extends Way> extends Room {
  readonly way: W;
  /** Kills the bridge. */
  kill(): Promise<void>;
  /** Starts it again. */
  restart(): Promise<void>;
}

interface Actor {
  readonly sequence: Sequence;
  readonly stage: Stage;
  readonly places: Set<Channel>;
  readonly script: Generator<Moment, void>;
  readonly outcome: Outcome;
  readonly context: string;
  isDone: boolean;
}

/**
 * Plays all sequences at once, each in channels and a context of its own, a step of each and then the next of each.
 * @param faultOf the fault of a round, counted from 0; default none
 */
export const playAll = async <W extends Way>(
  platform: PlatformUnderTest<W>,
  sequences: readonly Sequence[],
  faultOf: (round: number) => Fault<W> | undefined = () => undefined,
): Promise<ReadonlyMap<string, Outcome>> => {
  const room = await openRoom();
  const way = await platform.join(room);
  const folder = mkdtempSync(join(tmpdir(), 'replay-'));
  const contexts = new Map<string, string>();
  const host = new Host({
    route: ({ treatment }) => [
      (treatment.kind !== 'ordinary' &&
        treatment.scope.kind === 'channel' &&
        contexts.get(treatment.scope.channelId)) ||
        'main',
    ],
  });
  const reports = new OccurrenceReports(host);
  const actors = sequences.map((sequence, n): Actor => {
    const places = new Set<Channel>();
    const context = `sequence ${n}`;
    const take = (channel: Channel): void => {
      places.add(channel);
      contexts.set(way.channelId(channel), context);
    };
    const place = createChannel(room.sandbox.world, room.guild, `place-${n}`);
    take(place);
    const stage = stageOf(room, { way, platform: platform.name }, place, take);
    const outcome = { expected: [], read: [] };
    return { sequence, stage, places, script: sequence.play(stage), outcome, context, isDone: false };
  });
  const start = (): Promise<Scene<W>> =>
    openScene({
      room,
      way,
      host,
      env: { ...envOf(way), MCPL_STORE: `lmdb:${folder}` },
      registered: false,
      open: false,
    });
  let scene = await start();

  const open = async (channel: Channel): Promise<void> => {
    // It may be registered, and taken out, once more.
    await vi.waitFor(() => scene.session.openChannel(way.channelId(channel)), { timeout: 30_000, interval: 50 });
  };
  /** Resolves when what was said in a channel so far has come, or is held back by what came before it. */
  const quiet = async (channel: Channel): Promise<void> => {
    const { sandbox, bob } = room;
    const marker = sandbox.post(channel, bob, `${way.agent} marker`);
    await reports.of(way.eventId('create', marker));
    sandbox.delete(channel, marker);
    await reports.of(way.eventId('delete', marker));
  };
  const unread = ({ context }: Actor): string[] =>
    host.engine
      .unread(context)
      .map(({ content }) => content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join(' '));
  const look = async (actor: Actor, expected: readonly string[]): Promise<void> => {
    for (const channel of actor.places) await quiet(channel);
    // An edit waits for the answer to its create, and nothing else waits for it.
    const sorted = [...expected].sort();
    await vi.waitFor(() => expect(unread(actor).sort()).toEqual(sorted), { timeout: 10_000 }).catch(() => {});
    actor.outcome.expected.push(expected);
    actor.outcome.read.push(unread(actor));
    await host.turn(SILENT, actor.context);
  };
  const attend = async (actor: Actor, moment: Moment): Promise<void> => {
    if (moment === undefined) return;
    if ('open' in moment) await open(moment.open);
    else await look(actor, moment);
  };
  const act = (actor: Actor): Moment => {
    const { value, done = false } = actor.script.next();
    actor.isDone = done;
    return done ? undefined : (value as Moment);
  };

  await open(room.general);
  for (const { sequence, stage } of actors) if (!sequence.isClosed) await open(stage.place);
  const stricken: Stricken<W> = {
    ...room,
    way,
    kill: async () => {
      scene.bridge.kill('SIGKILL');
      await scene.bridge.exited;
    },
    restart: async () => {
      scene = await start();
    },
  };
  for (let round = 0; actors.some(({ isDone }) => !isDone); round++) {
    const fault = faultOf(round);
    const acting = actors.filter(({ isDone }) => !isDone);
    const [fleeting, lasting] = [true, false].map((is) =>
      acting.filter(({ sequence }) => (sequence.fleetingOn?.includes(platform.name) ?? false) === is),
    ) as [Actor[], Actor[]];
    fault?.before?.({ ...room, way });
    const moments = lasting.map(act);
    await fault?.after?.(stricken);
    await Promise.all(lasting.map((actor, i) => attend(actor, moments[i])));
    if (fault) await quiet(room.general);
    await Promise.all(fleeting.map((actor) => attend(actor, act(actor))));
  }
  await host.close();
  await scene.bridge.stop();
  await room.sandbox.close();
  rmSync(folder, { recursive: true, force: true });
  return new Map(actors.map(({ sequence, outcome }) => [sequence.name, outcome]));
};

const SILENT = { name: 'silent', respond: async () => undefined };
