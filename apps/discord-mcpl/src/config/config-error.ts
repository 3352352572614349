/** Configuration that cannot work. The message names the variable, what is wrong with it and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
