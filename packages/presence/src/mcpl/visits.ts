import { createHash } from 'node:crypto';
import type { Channel, RecordWrite } from '@mcpl-bridges/producer';
import type { People, Person } from './people.js';
import type { Teller } from './teller.js';

interface Stay {
  readonly visit: string;
  readonly name: string;
  /** The hash of what was said of it last. */
  readonly told: string;
}

/** By ref; kept, so that a stay that the agent was told of outlasts the process. */
type Stays = Readonly<Record<string, Stay>>;

export interface VisitsContext {
  readonly channel: Channel;
  readonly recall: (key: string) => Promise<unknown>;
  /** Names a visit, never the same twice. */
  readonly newId: () => string;
}

const STATUS_WORDS = { online: '', idle: ', idle', dnd: ', not to be disturbed' };

const sentence = ({ name, status, isTyping }: Person): string =>
  `* ${name} is here${status ? STATUS_WORDS[status] : ''}${isTyping ? ', typing' : ''}`;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);

/** Tells who is here as states, one for each visit: what is true when the agent looks, and who left since it looked. */
export class Visits implements Teller {
  private stays: Stays | undefined;
  private people: People = new Map();

  constructor(private readonly context: VisitsContext) {}

  get told(): People {
    return this.people;
  }

  async tell(now: People): Promise<void> {
    this.people = now;
    for (const [ref, { name }] of Object.entries(await this.known()))
      if (!now.has(ref)) await this.leave(ref, `* ${name} left`);
    for (const [ref, person] of now) await this.show(ref, person);
  }

  async lost(): Promise<void> {
    this.people = new Map();
    for (const [ref, { name }] of Object.entries(await this.known()))
      await this.leave(ref, `* It is not known any more whether ${name} is here`);
  }

  private async show(ref: string, person: Person): Promise<void> {
    const text = sentence(person);
    const stays = await this.known();
    const stay = stays[ref];
    const told = digestOf(text);
    if (stay?.told === told) return;
    const visit = stay?.visit ?? this.context.newId();
    this.stays = { ...stays, [ref]: { visit, name: person.name, told } };
    await this.subject(ref, visit).set({ content: line(text), tags: TAGS, initial: !stay, records: this.record() });
  }

  private async leave(ref: string, text: string): Promise<void> {
    const { [ref]: stay, ...others } = await this.known();
    if (!stay) return;
    this.stays = others;
    await this.subject(ref, stay.visit).withdraw({ content: line(text), tags: TAGS, records: this.record() });
  }

  private subject(ref: string, visit: string) {
    return this.context.channel.state(`presence:${ref}:${visit}`);
  }

  private async known(): Promise<Stays> {
    this.stays ??= ((await this.context.recall(this.key)) as Stays | undefined) ?? {};
    return this.stays;
  }

  private record(): readonly RecordWrite[] {
    return [{ key: this.key, value: this.stays }];
  }

  private get key(): string {
    return `presence:${this.context.channel.id}`;
  }
}

/** Nobody is woken by who comes and goes. */
const TAGS = ['chat:ambient'];

const line = (text: string) => [{ type: 'text' as const, text }];
