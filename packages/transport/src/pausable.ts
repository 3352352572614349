/** A transport whose peer can be made to wait: what it sends meanwhile fills the pipe, and then its own buffers. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** The transport's own brake, or `undefined` for one that has none. */
export const pausable = (transport: object): Pausable | undefined =>
  'pause' in transport && 'resume' in transport ? (transport as Pausable) : undefined;
