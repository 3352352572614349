import { createHash } from 'node:crypto';

const LIMIT = 1000;
const WINDOW_MS = 1000;

interface Bucket {
  used: number;
  endsAt: number;
}

/** The headers every answer of Discord carries (Discord: Rate Limits). Generous: the sandbox limits only on request. */
export class RateLimits {
  private readonly buckets = new Map<string, Bucket>();

  headers(method: string, path: string, now: number): Record<string, string> {
    const route = `${method} ${majorRoute(path)}`;
    const known = this.buckets.get(route);
    const bucket = known && now < known.endsAt ? known : { used: 0, endsAt: now + WINDOW_MS };
    bucket.used += 1;
    this.buckets.set(route, bucket);
    return {
      'x-ratelimit-limit': String(LIMIT),
      'x-ratelimit-remaining': String(Math.max(1, LIMIT - bucket.used)),
      'x-ratelimit-reset': (bucket.endsAt / 1000).toFixed(3),
      'x-ratelimit-reset-after': ((bucket.endsAt - now) / 1000).toFixed(3),
      'x-ratelimit-bucket': createHash('md5').update(route).digest('hex'),
    };
  }
}

/** Minor ids share a bucket; the first channel, guild or webhook id makes its own. */
const majorRoute = (path: string): string => {
  const [, resource, major, ...rest] = path.split('/');
  return [resource, major, ...rest.map((part) => (/^\d+$/.test(part) ? ':id' : part))].join('/');
};

export const rateLimitedAnswer = (
  retryAfter: number,
  global: boolean,
): { headers: Record<string, string>; body: Record<string, unknown> } => ({
  headers: {
    'retry-after': String(Math.ceil(retryAfter)),
    'x-ratelimit-scope': global ? 'global' : 'user',
    ...(global
      ? { 'x-ratelimit-global': 'true' }
      : {
          'x-ratelimit-limit': '5',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset-after': String(retryAfter),
        }),
  },
  body: { message: 'You are being rate limited.', retry_after: retryAfter, global },
});
