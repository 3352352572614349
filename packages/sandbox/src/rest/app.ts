import { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Clock } from '../clock.js';
import type { World } from '../world/world.js';
import type { RestContext, RestEnv } from './context.js';
import { DiscordError, unauthorized } from './errors.js';
import type { Fault, Faults } from './faults.js';
import { commandRoutes, interactionRoutes } from './interaction-routes.js';
import { messageRoutes } from './message-routes.js';
import { placeRoutes } from './place-routes.js';
import { RateLimits, rateLimitedAnswer } from './rate-limits.js';
import { reactionRoutes } from './reaction-routes.js';
import { webhookExecutionRoutes, webhookRoutes } from './webhook-routes.js';

export interface RestOptions {
  readonly world: World;
  readonly faults: Faults;
  readonly clock: Clock;
  /** What `GET /gateway/bot` recommends. */
  readonly shards: () => number;
  readonly sessionsLeft: () => number;
  readonly fileDelayMs: () => number;
}

const API = /^\/api(?:\/v\d+)?/;

/** Discord's REST API v10 over `world`, and the file host beside it. */
export const restApp = (options: RestOptions): Hono<RestEnv> => {
  const { world } = options;
  const root = new Hono<RestEnv>();
  const api = root.basePath('/api/v10');
  const limits = new RateLimits();

  api.use(async (c, next) => {
    const path = c.req.path.replace(API, '');
    const fault = options.faults.take(c.req.method, path);
    const answer = fault && (await strike(c, fault));
    if (answer) return answer;
    await next();
    if (fault?.kind === 'lose-answer') c.env.incoming.socket.destroy();
    for (const [name, value] of Object.entries(limits.headers(c.req.method, path, options.clock.now())))
      c.res.headers.set(name, value);
    return undefined;
  });

  api.get('/gateway', (c) => c.json({ url: gatewayUrl(world) }));
  interactionRoutes(api, world);
  webhookExecutionRoutes(api, world);

  api.use(async (c, next) => {
    const bot = world.bots.get(c.req.header('authorization')?.replace(/^Bot /, '') ?? '');
    if (!bot) throw unauthorized();
    c.set('bot', bot);
    await next();
  });
  api.get('/gateway/bot', (c) =>
    c.json({
      url: gatewayUrl(world),
      shards: options.shards(),
      session_start_limit: { total: 1000, remaining: options.sessionsLeft(), reset_after: 0, max_concurrency: 1 },
    }),
  );
  placeRoutes(api, world);
  messageRoutes(api, world);
  reactionRoutes(api, world);
  webhookRoutes(api, world);
  commandRoutes(api, world);

  root.onError((error, c) => {
    if (error instanceof DiscordError) return c.json(error.body(), error.status as ContentfulStatusCode);
    return c.json({ message: `500: Internal Server Error (${error.message})`, code: 0 }, 500);
  });
  root.notFound((c) => c.json({ message: '404: Not Found', code: 0 }, 404));

  root.get('/attachments/:channel/:id/:name', async (c) => {
    const { channel, id, name } = c.req.param();
    const file = world.files.get(`${channel}/${id}/${name}`);
    await new Promise((resolve) => setTimeout(resolve, options.fileDelayMs()));
    const ends = Number.parseInt(c.req.query('ex') ?? '', 16) * 1000;
    if (!file || ends <= options.clock.now()) return c.text('This content is no longer available.', 404);
    return c.body(new Uint8Array(file.bytes), 200, { 'content-type': file.contentType });
  });
  return root;
};

const gatewayUrl = (world: World): string => `${world.origin.replace(/^http/, 'ws')}/gateway`;

/** Answers in the request's place, or returns nothing and lets it go on. */
const strike = async (c: RestContext, fault: Fault): Promise<Response | undefined> => {
  switch (fault.kind) {
    case 'rate-limit': {
      const { headers, body } = rateLimitedAnswer(fault.retryAfter, fault.global ?? false);
      return c.json(body, 429, headers);
    }
    case 'status':
      return c.body(fault.body ?? '', fault.status as ContentfulStatusCode);
    case 'malformed':
      return c.body('{"id":"1","conte', 200, { 'content-type': 'application/json' });
    case 'refuse-connection':
      c.env.incoming.socket.destroy();
      return c.body('', 500);
    case 'delay':
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return undefined;
    case 'lose-answer':
      return undefined;
  }
};
