import type { McplHandler } from '@mcpl-bridges/transport';

/** What becomes of one answer. */
export type AnswerFate =
  /** `{}`, whatever was decided. */
  | 'empty'
  /** The request is acted on, and never answered. */
  | 'lost'
  /** The request is neither acted on nor answered. */
  | 'unheard'
  /** The request is acted on, and the connection ends instead of an answer. */
  | 'disconnect'
  /** The answer comes after `lateMs`. */
  | { readonly lateMs: number };

export interface AnswerFault {
  readonly method: string;
  readonly fate: AnswerFate;
  /** How many requests it befalls. Default: all. */
  readonly times?: number | undefined;
}

/** What a host gets wrong on purpose, so that a producer can be seen to cope. */
export interface FaultOptions {
  /**
   * The initial policy comes after `lateMs`, never, without a grant, contradicting itself, or as a Notification. Default:
   * as it should.
   */
  readonly policy?: 'absent' | 'empty' | 'malformed' | 'notification' | { readonly lateMs: number } | undefined;
  /** Every channel descriptor is refused. */
  readonly descriptors?: 'refused' | undefined;
  readonly answers?: readonly AnswerFault[] | undefined;
  /** What a server renders counts for nothing: the host has given up waiting. */
  readonly renders?: 'given-up' | undefined;
}

/** Faults for one server; those that befall a number of answers are counted over all its connections. */
export class Faults {
  readonly policy: FaultOptions['policy'];
  readonly descriptors: FaultOptions['descriptors'];
  readonly renders: FaultOptions['renders'];
  private readonly left: { fault: AnswerFault; times: number }[];

  constructor({ policy, descriptors, renders, answers = [] }: FaultOptions = {}) {
    this.policy = policy;
    this.descriptors = descriptors;
    this.renders = renders;
    this.left = answers.map((fault) => ({ fault, times: fault.times ?? Number.POSITIVE_INFINITY }));
  }

  /** `handler` with what is to befall its answers. @param disconnect ends the connection it is on */
  around(method: string, handler: McplHandler, disconnect: () => void): McplHandler {
    return (params, context) => {
      const next = this.left.find(({ fault, times }) => fault.method === method && times > 0);
      if (!next || !context.isRequest) return handler(params, context);
      next.times -= 1;
      return befall(next.fault.fate, () => handler(params, context), disconnect);
    };
  }
}

const befall = async (fate: AnswerFate, act: () => unknown, disconnect: () => void): Promise<unknown> => {
  if (fate === 'unheard') return never();
  const result = await act();
  switch (fate) {
    case 'empty':
      return {};
    case 'lost':
      return never();
    case 'disconnect':
      disconnect();
      return never();
    default:
      await new Promise((resolve) => setTimeout(resolve, fate.lateMs));
      return result;
  }
};

const never = (): Promise<never> => new Promise(() => {});
