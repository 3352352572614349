import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { stream } from 'hono/streaming';
import type { PresencePayload } from '../feed/snapshot.js';
import type { Caller } from './callers.js';
import { PresenceStream } from './presence-stream.js';
import type { ServiceContext } from './service-context.js';

/** Comments keep what is between from closing a silent connection, ms; OpenWOP wants one every 30 s at least. */
const KEEP_ALIVE_MS = 25_000;
const KEEP_ALIVE = ': here\n\n';

export interface StreamPlan {
  readonly caller: Caller;
  /** Absent: every channel that the caller may see. */
  readonly channelId?: string;
  readonly frameOf: (payload: PresencePayload) => string;
  /** More to say on it. @returns what ends that */
  readonly beside?: (say: (name: string, text: string) => void) => () => void;
}

/** Answers with a stream of server-sent events that lasts as long as the reader stays and may. @throws Refusal */
export const answerWithStream = (c: Context, context: ServiceContext, plan: StreamPlan): Response => {
  const { counts, streams, time } = context;
  const { caller, beside, ...rest } = plan;
  // Nobody would ever read it.
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
  const release = counts.take(caller.token);
  c.header('Content-Type', 'text/event-stream');
  c.header('Cache-Control', 'no-store');
  c.header('X-Accel-Buffering', 'no');
  return stream(c, async (out) => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    out.onAbort(end);
    const write = async (text: string): Promise<void> => void (await out.write(text));
    const presence = new PresenceStream({ ...context, caller, ...rest, write, end });
    const open = { stream: presence, end };
    streams.add(open);
    const stopBeside = beside?.((name, text) => presence.say(name, text));
    let callOff = (): void => {};
    const keepAlive = (): void => {
      callOff = time.after(KEEP_ALIVE_MS, () => {
        presence.say('keep-alive', KEEP_ALIVE);
        keepAlive();
      });
    };
    keepAlive();
    await ended;
    callOff();
    stopBeside?.();
    presence.close();
    // What waits on the way to a slow reader may not be for it any more.
    if (presence.isBusy) (c.env as Partial<HttpBindings>).incoming?.socket.resetAndDestroy();
    streams.delete(open);
    release();
  });
};

/** A frame without an id: nothing of it is ever brought back. */
export const frame = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
