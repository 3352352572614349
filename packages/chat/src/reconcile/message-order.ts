/** Message ids are decimal numbers, alone or behind the last `_`, and grow with time. */
const numberOf = (id: string): string => id.slice(id.lastIndexOf('_') + 1);

/** Whether one message id is newer than another; `''` is older than any. */
export const isNewer = (id: string, than: string): boolean => {
  const [a, b] = [numberOf(id), numberOf(than)];
  return a.length === b.length ? a > b : a.length > b.length;
};
