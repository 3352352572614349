import type { Channel, Message, PostOptions, Sandbox, User } from '@mcpl-bridges/sandbox';
import type { PlatformUnderTest, Way } from '../helpers/platforms.js';
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
  /** The platforms that can tell of it; default both. */
  readonly on?: readonly PlatformUnderTest['name'][];
  /** Part of it stands in no history there: what is missed of it while nobody listens stays missed. Default nowhere. */
  readonly fleetingOn?: readonly PlatformUnderTest['name'][];
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
  /** The agent itself, otherwise than by the bridge. */
  sayAsAgent(text: string): Message;
  /** A message's id, as the agent reads it. */
  idOf(message: Message): string;
  /** What is read of a deletion. */
  gone(message: Message, name: string): string;
  readonly platform: PlatformUnderTest['name'];
  readonly sandbox: Sandbox;
  /** A mention of the agent, as people type it, and as it is read. */
  readonly agent: string;
  readonly mention: string;
}

export const stageOf = (
  room: Room,
  { way, platform }: { readonly way: Way; readonly platform: PlatformUnderTest['name'] },
  place: Channel,
  take: (channel: Channel) => void,
): Stage => ({
  ...room,
  platform,
  place,
  take: (channel) => {
    take(channel);
    return channel;
  },
  say: (author, text, options, channel = place) => room.sandbox.post(channel, author, text, options),
  edit: (message, text, channel = place) => void room.sandbox.edit(channel, message, text),
  remove: (message, channel = place) => room.sandbox.delete(channel, message),
  sayAsAgent: (text) => way.sayAsAgent(place, text),
  idOf: (message) => way.messageId(message),
  gone: (message, name) => `[message deleted] ${way.messageId(message)} by ${name}`,
  agent: way.agent,
  mention: way.mention,
});
