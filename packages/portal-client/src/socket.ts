/** A WebSocket, as far as this client needs one. Text frames only. */
export interface Socket {
  send(text: string): void;
  close(code: number): void;
}

export interface SocketEvents {
  opened(): void;
  received(text: string): void;
  /** Called once, also where the socket never opened. */
  closed(code: number): void;
}

/** Opens a socket. Never throws: what goes wrong is a `closed`. */
export type Dial = (url: string, events: SocketEvents) => Socket;

/** Relays send no larger frames, and take none. */
export const MAX_FRAME_BYTES = 100 * 1024 * 1024;

/** The code of a socket that ended without one. */
export const ABNORMAL = 1006;
