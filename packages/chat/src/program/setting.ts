import { z } from 'zod';
import { ConfigError } from './errors.js';

/** Something that a variable sets, or a member of the configuration file. */
export interface Setting<T> {
  readonly variable: string;
  /** For `--help`. */
  readonly meaning: string;
  /** What the file may hold. */
  readonly inFile: z.ZodType;
  /** @param name what the text comes from, for the error @throws ConfigError */
  read(text: string | undefined, name: string): T;
}

/** A setting whose text `parse` understands; `undefined` for one that is absent or empty. */
export const textSetting = <T>(
  variable: string,
  meaning: string,
  parse: (text: string | undefined, name: string) => T,
): Setting<T> => ({ variable, meaning, inFile: z.string(), read: parse });

export const choiceSetting = <T extends string>(
  variable: string,
  choices: readonly [T, ...T[]],
  otherwise: T,
  meaning: string,
): Setting<T> => ({
  variable,
  meaning: `${meaning}: ${choices.join(', ')}; default ${otherwise}`,
  inFile: z.enum(choices),
  read: (text, name) => {
    const found = text === undefined ? otherwise : choices.find((choice) => choice === text);
    if (found === undefined)
      throw new ConfigError(`${name} is ${JSON.stringify(text)}; use one of ${choices.join(', ')}`);
    return found;
  },
});

export const countSetting = (
  variable: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
  meaning: string,
): Setting<number> => ({
  variable,
  meaning: `${meaning}; ${least} to ${most}, default ${otherwise}`,
  inFile: z.int().min(least).max(most),
  read: (text, name) => {
    if (text === undefined) return otherwise;
    const count = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (!(count >= least && count <= most))
      throw new ConfigError(`${name} is ${JSON.stringify(text)}; use a whole number from ${least} to ${most}`);
    return count;
  },
});

/** Reads a comma list; empty is none. @throws ConfigError naming what is no such entry */
export const listOf = (text: string | undefined, name: string, entry: RegExp, form: string): string[] => {
  const entries = text === undefined ? [] : text.split(',').map((one) => one.trim());
  const wrong = entries.find((one) => !entry.test(one));
  if (wrong !== undefined) throw new ConfigError(`${name} holds ${JSON.stringify(wrong)}, which is no ${form}`);
  return entries;
};

/** Reads an http(s) URL, without slashes at its end; `undefined` for none. @throws ConfigError */
export const httpUrl = (text: string | undefined, name: string): string | undefined => {
  if (text === undefined) return undefined;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new ConfigError(`${name} is ${JSON.stringify(text)}; use an http(s) URL such as https://discord.com/api`);
  return text.replace(/\/+$/, '');
};

/** A file or folder of this machine, and what named it, for errors. */
export interface NamedPath {
  readonly path: string;
  readonly from: string;
}

export const pathSetting = (variable: string, meaning: string): Setting<NamedPath | undefined> =>
  textSetting(variable, meaning, (path, from) => (path === undefined ? undefined : { path, from }));
