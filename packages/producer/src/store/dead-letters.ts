/** Dead letters kept; the oldest go first. */
export const MAX_DEAD_LETTERS = 1000;
