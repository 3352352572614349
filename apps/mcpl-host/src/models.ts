import { readFileSync } from 'node:fs';
import { echoModel, type Model, scriptedModel } from '@mcpl-bridges/host';
import { z } from 'zod';
import { ConfigError } from './config/config-error.js';

const scriptFile = z.array(z.union([z.string(), z.null(), z.object({ text: z.string(), channelId: z.string() })]));

/**
 * Makes models of that name; an agent has its own.
 * @param where what named it, for the error
 * @throws ConfigError
 */
export const modelNamed = (name: string, where: string): (() => Model) => {
  if (name === 'echo') return () => echoModel();
  if (name === 'echo-addressed') return () => echoModel({ onlyWhenAddressed: true });
  if (!name.startsWith('script:'))
    throw new ConfigError(`${where} is ${name}; use echo, echo-addressed or script:FILE`);
  const path = name.slice('script:'.length);
  try {
    const script = scriptFile.parse(JSON.parse(readFileSync(path, 'utf8')));
    return () => scriptedModel(script);
  } catch {
    throw new ConfigError(`${path} is no script: it must be a JSON list of strings, null, or {text, channelId}`);
  }
};
