import type { Context } from 'hono';
import { Refusal } from './errors.js';

/** @throws Refusal `validation_error` for what is no JSON object */
export const jsonBody = async (c: Context): Promise<Readonly<Record<string, unknown>>> => {
  const value: unknown = await c.req.json().catch(() => undefined);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('validation_error', 'the body must be a JSON object');
  return value as Readonly<Record<string, unknown>>;
};
