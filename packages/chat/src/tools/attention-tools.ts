import { z } from 'zod';
import { channelArgument } from './arguments.js';
import { type ChatTool, HINTS, tool } from './tool.js';
import type { ToolContext } from './tool-context.js';

const tally = z.object({
  channelId: z.string(),
  label: z.string(),
  isOpen: z.boolean(),
  isMuted: z.boolean(),
  isSubscribed: z.boolean(),
  missedMessages: z.int(),
  missedCharacters: z.int(),
  sinceMessageId: z.string().optional(),
});
type Tally = z.infer<typeof tally>;

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

const sentence = ({ channelId, label, isOpen, isMuted, isSubscribed, ...missed }: Tally): string => {
  const { missedMessages, missedCharacters } = missed;
  const where = `${channelId} ${label}`;
  if (isMuted) return `${where}: muted; nothing of it reaches you`;
  if (isOpen) return `${where}: open; you miss nothing`;
  if (isSubscribed) return `${where}: closed, and subscribed; you miss nothing`;
  return `${where}: closed; you have missed ${count(missedMessages, 'message')} (${count(missedCharacters, 'character')})`;
};

/** What an agent wants to hear of. */
export const attentionTools = ({ channels, attention }: ToolContext): ChatTool[] => {
  const tallyOf = async (channelId: string): Promise<Tally> => {
    const missed = await attention.missed(channelId);
    return {
      channelId,
      label: channels.labelOf(channelId) ?? channelId,
      isOpen: await attention.isOpen(channelId),
      isMuted: attention.isMuted(channelId),
      isSubscribed: attention.isSubscribed(channelId),
      missedMessages: missed?.messages ?? 0,
      missedCharacters: missed?.characters ?? 0,
      ...(missed?.after ? { sinceMessageId: missed.after } : {}),
    };
  };
  return [
    ...([true, false] as const).map((mute) =>
      tool({
        name: mute ? 'mute_channel' : 'unmute_channel',
        description: mute
          ? 'Hear nothing of a channel any more, not even what addresses you. Holds until you unmute it.'
          : 'Hear of a channel again, from now on. Open it to hear everything that is said there.',
        classes: ['control'],
        featureSet: 'subscriptions',
        input: z.strictObject({ channelId: channelArgument }),
        annotations: HINTS.marks,
        run: async ({ channelId }) => {
          const id = channels.resolve(channelId);
          const isChanged = await attention.setMuted(id, mute);
          if (!isChanged) return `${id} was ${mute ? 'muted already' : 'not muted'}`;
          return mute ? `muted ${id}; unmute_channel takes it back` : `unmuted ${id}`;
        },
      }),
    ),
    tool({
      name: 'list_subscriptions',
      description: 'List the channels that you hear everything of, those you have muted, and what you miss elsewhere.',
      classes: ['control'],
      featureSet: 'subscriptions',
      input: z.strictObject({}),
      output: z.object({ channels: z.array(tally) }),
      annotations: HINTS.reads,
      run: async () => {
        const all = await Promise.all(channels.channels().map(({ id }) => tallyOf(id)));
        const worth = all.filter((one) => one.isOpen || one.isMuted || one.isSubscribed || one.missedMessages > 0);
        const text = worth.map(sentence).join('\n');
        return {
          text: text === '' ? 'no channel is open or muted, and you have missed nothing' : text,
          data: { channels: worth },
        };
      },
    }),
    tool({
      name: 'channel_missed',
      description: 'Tell how much was said in a channel since it was last open for you, besides what addressed you.',
      classes: ['control'],
      featureSet: 'subscriptions',
      input: z.strictObject({ channelId: channelArgument }),
      output: tally,
      annotations: HINTS.reads,
      run: async ({ channelId }) => {
        const data = await tallyOf(channels.resolve(channelId));
        return { text: sentence(data), data };
      },
    }),
    tool({
      name: 'set_reaction_visibility',
      description: 'Hear of reactions in a channel while it is open, or stop hearing of them. They never wake you.',
      classes: ['control'],
      featureSet: 'subscriptions',
      input: z.strictObject({ channelId: channelArgument, visible: z.boolean() }),
      annotations: HINTS.marks,
      run: async ({ channelId, visible }) => {
        const id = channels.resolve(channelId);
        await attention.setReactions(id, visible);
        return `reactions in ${id} are ${visible ? 'shown' : 'not shown'}`;
      },
    }),
  ];
};
