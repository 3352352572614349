import type { Channel, Message, PostOptions, Sandbox, User } from '@mcpl-bridges/sandbox';
import type { Room } from '../helpers/scene.js';

/** Where a sequence stops for a moment. */
export type Moment =
  /** Anything may happen to the connection now. */
  | undefined
  /** The host opens a channel. */
  | { readonly open: Channel }
  /** The model looks, and finds these lines new. */
  | readonly string[];

/** A behaviour of people on Discord, acted in places of its own, and what the model reads of it. */
export interface Sequence {
  readonly name: string;
  /** The host has not opened the place. */
  readonly isClosed?: boolean;
  /** Part of it stands in no history: what is missed of it while nobody listens stays missed. */
  readonly isFleeting?: boolean;
  play(stage: Stage): Generator<Moment, void>;
}

/** A sequence's part of the room. */
export interface Stage extends Room {
  /** A text channel for nobody else. */
  readonly place: Channel;
  /** Takes a channel for this sequence, besides `place`; to be called before anything is said there. */
  take(channel: Channel): Channel;
  /** In `place`, unless said otherwise. */
  say(author: User, text: string, options?: PostOptions, channel?: Channel): Message;
  edit(message: Message, text: string, channel?: Channel): void;
  remove(message: Message, channel?: Channel): void;
  readonly sandbox: Sandbox;
  /** A mention of the agent, as people type it. */
  readonly agent: string;
}

export const stageOf = (room: Room, place: Channel, take: (channel: Channel) => void): Stage => ({
  ...room,
  place,
  take: (channel) => {
    take(channel);
    return channel;
  },
  say: (author, text, options, channel = place) => room.sandbox.post(channel, author, text, options),
  edit: (message, text, channel = place) => void room.sandbox.edit(channel, message, text),
  remove: (message, channel = place) => room.sandbox.delete(channel, message),
  agent: `<@${room.bot.user.id}>`,
});

export const gone = ({ id }: Message, name: string): string => `[message deleted] ${id} by ${name}`;
