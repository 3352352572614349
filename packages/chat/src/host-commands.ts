import { ErrorCode, McplError } from '@mcpl-bridges/protocol';
import { z } from 'zod';
import { oneLine, shownName } from './render/quoting.js';

/** What somebody who may asks the agent's host to do about the agent's context. */
export type HostCommand =
  /** Takes the newest messages out. */
  | { readonly command: 'undo'; readonly messages: number }
  /** Takes one message out, or all from one to another. */
  | { readonly command: 'hide'; readonly fromMessageId: string; readonly toMessageId?: string }
  /** Gives the agent a turn on what it has, though nothing is new. */
  | { readonly command: 'nudge' }
  /** Takes back what the model refuses to go on from, and tries again, `maxRewinds` times at most. */
  | { readonly command: 'unstick'; readonly maxRewinds?: number; readonly channelId: string };

export interface Requester {
  readonly id: string;
  readonly name: string;
}

/** What came of it, for those who asked. */
export interface CommandReport {
  readonly text: string;
  /** Messages that the agent does not see any more. */
  readonly hidden: readonly { readonly channelId: string; readonly messageId: string }[];
}

/** How long a host may take, ms. */
const TIMEOUT_MS = 30_000;

/** A host's answer to `host/command`; hosts say what fits the command. */
const answer = z.looseObject({
  ok: z.boolean().optional(),
  error: z.string().optional(),
  messagesRemoved: z.number().optional(),
  hidden: z.number().optional(),
  hiddenRefs: z.array(z.object({ channelId: z.string(), messageId: z.string() })).optional(),
  lastVisible: z
    .looseObject({ participant: z.string().optional(), role: z.string().optional(), preview: z.string().optional() })
    .nullish(),
  agentStatus: z.string().optional(),
  cap: z.number().optional(),
});

type Answer = z.infer<typeof answer>;

const MAX_PREVIEW = 1000;
const MAX_REASON = 300;

/** Asks by `ask`, and puts what came of it into words. */
export const runHostCommand = async (
  command: HostCommand,
  by: Requester,
  ask: (method: string, params: Readonly<Record<string, unknown>>, timeoutMs: number) => Promise<unknown>,
): Promise<CommandReport> => {
  const params = { ...command, requesterId: by.id, requesterName: by.name };
  try {
    const result = answer.parse(await ask('host/command', params, TIMEOUT_MS));
    if (result.ok !== true) return failed(command, result.error ?? 'the host gives no reason');
    return { text: success(command, result), hidden: result.hiddenRefs ?? [] };
  } catch (error) {
    return failed(command, reasonOf(error as Error));
  }
};

const reasonOf = (error: Error): string => {
  if (error instanceof McplError && error.code === ErrorCode.MethodNotFound) return 'this host takes no commands';
  return error instanceof z.ZodError
    ? 'the host answers something that this bridge does not understand'
    : error.message;
};

const failed = ({ command }: HostCommand, reason: string): CommandReport => ({
  text: `/${command} did not work: ${oneLine(reason, MAX_REASON)}`,
  hidden: [],
});

const success = (command: HostCommand, result: Answer): string => {
  switch (command.command) {
    case 'undo':
      return `${gone(result.messagesRemoved)}${newest(result)}`;
    case 'hide':
      return `${gone(result.hidden)}${newest(result)}`;
    case 'nudge':
      return result.agentStatus === undefined || result.agentStatus === 'idle'
        ? 'The agent takes a turn now.'
        : `The agent takes a turn after the one it is in (${oneLine(result.agentStatus, MAX_REASON)}).`;
    case 'unstick':
      return `The agent goes back and tries again, ${result.cap ?? command.maxRewinds ?? 3} times at most. What comes of it is posted here.`;
  }
};

const gone = (count = 0): string =>
  count === 1 ? "1 message is out of the agent's context." : `${count} messages are out of the agent's context.`;

/** What the agent has before it as the newest message now. */
const newest = ({ lastVisible }: Answer): string => {
  if (!lastVisible) return '';
  const { participant, role = 'somebody', preview } = lastVisible;
  const words = preview ? oneLine(preview, MAX_PREVIEW) : '(no text)';
  return `\nThe newest it sees: ${shownName(participant ?? role)}: ${words}`;
};
