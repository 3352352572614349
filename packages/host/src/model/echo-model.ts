import type { Model } from './model.js';

/** Answers each turn with the last thing it read. For trying a bridge without a provider. */
export const echoModel = (): Model => ({
  name: 'echo',
  respond: async ({ messages, fresh }) => {
    const last = messages.at(-1);
    return last && fresh > 0 ? { text: `I read: ${last.text}` } : undefined;
  },
});
