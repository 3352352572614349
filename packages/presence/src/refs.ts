import { createHmac } from 'node:crypto';

export interface RefOptions {
  /** At least 16 bytes. Whoever has it can tell which ref is whose. */
  readonly key: Uint8Array;
  readonly platform: string;
  /** Whether the platform's own ids are shown. Default: they are not. */
  readonly raw?: boolean;
  /** What the refs are for: those of different uses cannot be matched with each other. */
  readonly use: string;
}

/** Most refs that are remembered; they are cheap to make again. */
const REMEMBERED = 50_000;

/** 132 of 256 bits: nobody shares one by accident. */
const LENGTH = 22;

/** Opaque names: `user:<HMAC of platform, scope and user>`, the agent's own `agent:<id>`. */
export class SubjectRefs {
  private readonly known = new Map<string, string>();

  /** @throws RangeError for a key that can be guessed */
  constructor(private readonly options: RefOptions) {
    if (options.key.byteLength < 16) throw new RangeError('the key of subject refs must have at least 16 bytes');
  }

  of(scope: string, userId: string): string {
    const { key, platform, use, raw = false } = this.options;
    if (raw) return `user:${userId}`;
    const name = JSON.stringify([use, platform, scope, userId]);
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const ref = `user:${createHmac('sha256', key).update(name).digest('base64url').slice(0, LENGTH)}`;
    if (this.known.size >= REMEMBERED) this.known.clear();
    this.known.set(name, ref);
    return ref;
  }

  static agent(id: string): string {
    return `agent:${id}`;
  }
}
