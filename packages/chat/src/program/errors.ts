/** Something that a program cannot go on from. */
export class ProgramError extends Error {
  override readonly name: string = 'ProgramError';
  constructor(
    message: string,
    /** What the process exits with, so that an operator's supervisor can tell what happened. */
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/** Configuration that cannot work. The message names the variable, what is wrong with it and what to do. */
export class ConfigError extends ProgramError {
  override readonly name = 'ConfigError';
  constructor(message: string) {
    super(message, 2);
  }
}
