import type { Model } from './model.js';

export interface EchoOptions {
  /** Answer only what addresses the agent. Default false: answer every turn that brought something new. */
  readonly onlyWhenAddressed?: boolean;
}

/** Answers with the last thing it read. For trying a bridge without a provider. */
export const echoModel = ({ onlyWhenAddressed = false }: EchoOptions = {}): Model => ({
  name: 'echo',
  respond: async ({ messages, fresh }) => {
    const news = fresh === 0 ? [] : messages.slice(-fresh);
    const last = news.findLast((message) => !onlyWhenAddressed || message.tags.includes('chat:addressed'));
    return last && { text: `I read: ${last.text}`, ...(last.message ? { channelId: last.message.channelId } : {}) };
  },
});
