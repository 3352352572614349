import type { Context } from 'hono';
import { Refusal } from './errors.js';

/** Those of OpenWOP's stream modes that say something here. */
const STREAM_MODES = ['updates', 'debug'];

/** @throws Refusal `unsupported_stream_mode` */
export const requireStreamMode = (c: Context): void => {
  const mode = c.req.query('streamMode') ?? 'updates';
  if (!STREAM_MODES.includes(mode))
    throw new Refusal('unsupported_stream_mode', `streamMode ${JSON.stringify(mode)} is not served`, {
      supported: STREAM_MODES,
    });
};
