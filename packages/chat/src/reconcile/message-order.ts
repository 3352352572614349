/** Whether one message id is newer than another. Ids are decimal numbers, and `''` is older than any. */
export const isNewer = (id: string, than: string): boolean =>
  id.length === than.length ? id > than : id.length > than.length;
