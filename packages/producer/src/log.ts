/** The part of a pino logger that the kit uses. Message text is only ever passed to `trace`. */
export interface Log {
  trace(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => {};
export const silentLog: Log = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
