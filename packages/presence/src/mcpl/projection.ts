import { type Channel, type Log, silentLog } from '@mcpl-bridges/producer';
import { nanoid } from 'nanoid';
import { ActivityDigest } from './digest.js';
import { type PeopleSource, peopleIn } from './people.js';
import type { Teller } from './teller.js';
import { Visits } from './visits.js';

/** How the agent is told who is in a channel: as states, in a line when it looks, or not at all. */
export const PRESENCE_FORMS = ['off', 'state', 'digest'] as const;
export type PresenceForm = (typeof PRESENCE_FORMS)[number];

export interface ProjectionOptions extends PeopleSource {
  readonly channel: (channelId: string) => Channel;
  /** What the producer remembers. */
  readonly recall: (key: string) => Promise<unknown>;
  readonly formOf: (channelId: string) => PresenceForm;
  /** Names a visit, never the same twice. Default nanoid. */
  readonly newId?: () => string;
  readonly log?: Log;
}

interface Told {
  readonly teller: Teller;
  readonly stop: () => void;
  /** One after the other: an agent is told things in the order in which they happened. */
  turn: Promise<void>;
}

/** Tells the agent who is in the channels that its host has opened. */
export class PresenceProjection {
  private readonly told = new Map<string, Told>();

  constructor(private readonly options: ProjectionOptions) {}

  /** The host has opened a channel: the agent is told from now on. */
  begin(channelId: string): void {
    if (this.told.has(channelId)) return;
    const teller = this.tellerOf(channelId);
    if (!teller) return;
    const stop = this.options.feed.watch(channelId, () => this.look(channelId));
    this.told.set(channelId, { teller, stop, turn: Promise.resolve() });
    this.look(channelId);
  }

  end(channelId: string): void {
    this.told.get(channelId)?.stop();
    this.told.delete(channelId);
  }

  /** Resolves when all that was to be told so far is stored. */
  async idle(): Promise<void> {
    await Promise.all([...this.told.values()].map(({ turn }) => turn));
  }

  private look(channelId: string): void {
    const told = this.told.get(channelId);
    if (!told) return;
    told.turn = told.turn
      .then(() => this.say(channelId, told.teller))
      .catch(({ message }: Error) =>
        (this.options.log ?? silentLog).warn({ channelId, reason: message }, 'who is here could not be told'),
      );
  }

  private async say(channelId: string, teller: Teller): Promise<void> {
    const people = peopleIn(this.options, channelId, teller.told);
    if (people) return teller.tell(people);
    const { roster, tracker } = this.options.feed;
    const scope = roster.scopeOf(channelId);
    if (scope !== undefined && tracker.sightOf(scope) === 'lost') await teller.lost();
  }

  private tellerOf(channelId: string): Teller | undefined {
    const { channel, recall, formOf, newId = nanoid } = this.options;
    switch (formOf(channelId)) {
      case 'off':
        return undefined;
      case 'state':
        return new Visits({ channel: channel(channelId), recall, newId });
      case 'digest':
        return new ActivityDigest(channel(channelId));
    }
  }
}
