import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { discovery } from './discovery.js';
import { Refusal, unsupportedVersion } from './errors.js';
import { PAGE, PAGE_POLICY } from './page.js';
import type { ServiceContext } from './service-context.js';
import { v1Routes } from './v1-routes.js';
import { v2Routes } from './v2-routes.js';
import { majorOf, PREFERRED, VERSIONS } from './versions.js';

const MAX_BODY_BYTES = 16_384;

/** Presence over HTTP (RFC 0110; RFC 0236 §F). */
export const presenceApp = (context: ServiceContext): Hono => {
  const app = new Hono();
  app.use(
    '*',
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw new Refusal('validation_error', `a body may have ${MAX_BODY_BYTES} bytes`);
      },
    }),
  );

  app.get('/.well-known/openwop', (c) => {
    const asked = c.req.header('openwop-version');
    const major = asked === undefined ? PREFERRED : majorOf(asked);
    c.header('Vary', 'OpenWOP-Version');
    if (major === undefined) throw unsupportedVersion();
    const { name, version, seams, emits } = context;
    const { body, etag } = discovery(major, { name, version, seams, emits: emits() });
    c.header('OpenWOP-Version', VERSIONS[major]);
    c.header('ETag', etag);
    c.header('Cache-Control', 'no-cache');
    if (c.req.header('if-none-match') === etag) return c.body(null, 304);
    return c.body(body, 200, { 'Content-Type': 'application/json' });
  });

  app.get('/', (c) => c.html(PAGE, 200, { 'Content-Security-Policy': PAGE_POLICY, 'Referrer-Policy': 'no-referrer' }));
  app.route('/v1', v1Routes(context));
  app.route('/', v2Routes(context));

  const nothingHere = (): Refusal => new Refusal('not_found', 'there is nothing here');
  const answer = (refusal: Refusal, version: string): Response =>
    Response.json(refusal.envelope, {
      status: refusal.status,
      headers: { 'OpenWOP-Version': version, ...refusal.headers },
    });
  const versionOf = (path: string): string => (path.startsWith('/v1/') ? VERSIONS[1] : VERSIONS[2]);
  app.notFound((c) => answer(nothingHere(), versionOf(c.req.path)));
  app.onError((error, c) => {
    if (error instanceof Refusal) return answer(error, versionOf(c.req.path));
    context.log.error({ reason: error.message }, 'a request for presence could not be answered');
    return answer(new Refusal('internal_error', 'this went wrong here'), versionOf(c.req.path));
  });
  return app;
};
