import { z } from 'zod';
import type { Persona, PortalChannel, PortalGuild } from './places.js';

/** The version of the protocol that this client speaks; relays of others are spoken to all the same. */
export const PROTOCOL_VERSION = 3;

export type ClientFrame =
  | {
      readonly op: 'identify';
      readonly d: {
        readonly protocolVersion: number;
        readonly token: string;
        readonly personaId: string;
        readonly subscriptions?: readonly string[];
      };
    }
  | {
      readonly op: 'register';
      readonly d: {
        readonly protocolVersion: number;
        readonly invite: string;
        readonly desiredName: string;
        readonly avatar?: string;
        readonly subscriptions?: readonly string[];
      };
    }
  | { readonly op: 'resume'; readonly d: { readonly sessionId: string; readonly seq: number } }
  | { readonly op: 'heartbeat'; readonly d: { readonly seq: number } }
  | { readonly op: 'rpc'; readonly d: { readonly id: string; readonly method: string; readonly params: object } };

/** Members of lists that are read as they come: what is in them is the reader's to understand. */
const listed = <T>() => z.array(z.custom<T>((one) => typeof one === 'object' && one !== null)).default([]);

const persona = z.custom<Persona>((one) => typeof (one as { id?: unknown } | null)?.id === 'string');

const ready = z.looseObject({
  sessionId: z.string(),
  persona,
  guilds: listed<PortalGuild>(),
  channels: listed<PortalChannel>(),
  seq: z.number().default(0),
});

const frames = {
  hello: z.looseObject({ protocolVersion: z.number().optional(), heartbeatIntervalMs: z.number().min(1) }),
  ready,
  registered: z.looseObject({ personaId: z.string(), token: z.string(), persona: persona.optional() }),
  resumed: z.looseObject({ replayedEvents: z.number().default(0) }),
  invalid_session: z.looseObject({ resumable: z.boolean().default(false), reason: z.string().default('') }),
  rpc_result: z.discriminatedUnion('ok', [
    z.looseObject({ id: z.string(), ok: z.literal(true), result: z.unknown() }),
    z.looseObject({
      id: z.string(),
      ok: z.literal(false),
      // Discord's own numbers come through, too.
      error: z.looseObject({ code: z.union([z.string(), z.number()]), message: z.string().default('') }),
    }),
  ]),
};

type Frames = { [Op in keyof typeof frames]: { readonly op: Op; readonly d: z.infer<(typeof frames)[Op]> } };

export type Ready = z.infer<typeof ready>;
export type RpcAnswer = z.infer<typeof frames.rpc_result>;

export type ServerFrame =
  | Frames[keyof Frames]
  | { readonly op: 'heartbeat_ack' }
  | { readonly op: 'dispatch'; readonly seq: number; readonly d: { readonly type: string } }
  /** Told once, and never again: it has no number. */
  | { readonly op: 'dispatch_ephemeral'; readonly d: { readonly type: string } };

const envelope = z.looseObject({ op: z.string(), seq: z.number().optional(), d: z.unknown().optional() });
const event = z.looseObject({ type: z.string() });

/** A relay's frame; nothing for what is no frame, or one that this version does not know. */
export const readFrame = (text: string): ServerFrame | undefined => {
  const whole = envelope.safeParse(parsed(text));
  if (!whole.success) return undefined;
  const { op, seq, d } = whole.data;
  if (op === 'heartbeat_ack') return { op };
  if (op === 'dispatch') {
    const told = event.safeParse(d);
    return told.success && seq !== undefined ? { op, seq, d: told.data } : undefined;
  }
  if (op === 'dispatch_ephemeral') {
    const told = event.safeParse(d);
    return told.success ? { op, d: told.data } : undefined;
  }
  if (!Object.hasOwn(frames, op)) return undefined;
  const read = frames[op as keyof typeof frames].safeParse(d);
  return read.success ? ({ op, d: read.data } as ServerFrame) : undefined;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
