import type { Model, ModelReply } from './model.js';

/** Gives the replies of `script` in order, one a turn; `null` says nothing, and so does the end of the script. */
export const scriptedModel = (script: readonly (ModelReply | string | null)[]): Model => {
  let turn = 0;
  return {
    name: 'scripted',
    respond: async () => {
      const reply = script[turn++];
      if (reply === undefined || reply === null) return undefined;
      return typeof reply === 'string' ? { text: reply } : reply;
    },
  };
};
