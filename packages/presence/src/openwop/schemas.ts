import { z } from 'zod';

/** RFC 0041's vocabulary: opaque, and nothing else rides along. */
const subjectRef = z
  .string()
  .min(1)
  .max(256)
  .regex(/^(user|agent):\S+$/)
  .describe('An opaque subject ref: user:<id> or agent:<id>.');

const refs = z
  .array(subjectRef)
  .refine((all) => new Set(all).size === all.length, 'no ref twice')
  .meta({ uniqueItems: true });

/** The payload of `channel.presence` (RFC 0110). */
export const channelPresencePayload = z
  .strictObject({
    conversationId: z.string().min(1).max(256).describe('The channel.'),
    present: refs.describe('Its members who are present now.'),
    typing: refs.optional().describe('Those of them who are typing.'),
  })
  .refine(
    ({ present, typing = [] }) => typing.every((ref) => present.includes(ref)),
    'whoever is typing must be present',
  )
  .meta({ title: 'ChannelPresencePayload', description: 'Who is in a channel, all of it each time (RFC 0110).' });

/** As OpenWOP 1 carries it in a run's feed; never in a log. */
export const channelPresenceRunEvent = z
  .strictObject({
    eventId: z.string().min(1).max(128),
    runId: z.string().min(1).max(256),
    type: z.literal('channel.presence'),
    payload: channelPresencePayload,
    timestamp: z.iso.datetime(),
    sequence: z.int().min(0),
  })
  .meta({ title: 'ChannelPresenceRunEvent', description: 'channel.presence as a RunEventDoc of OpenWOP 1.' });

const envelope = {
  eventId: z.string().regex(/^[A-Za-z0-9._~-]{16,128}$/),
  timestamp: z.iso.datetime(),
};

/** As OpenWOP 2 carries it among the host's events (RFC 0236 §F). */
export const channelPresenceHostEvent = z
  .strictObject({
    ...envelope,
    type: z.literal('channel.presence'),
    delivery: z.literal('ephemeral'),
    payload: channelPresencePayload,
  })
  .meta({ title: 'ChannelPresenceHostEvent', description: 'channel.presence as a host event of OpenWOP 2.' });

/** What discovery says at its root in OpenWOP 1. */
export const channelPresenceCapability = z
  .strictObject({ supported: z.boolean() })
  .meta({ title: 'ChannelPresenceCapability', description: 'The member channelPresence of the discovery document.' });

/** Every refusal. */
export const errorEnvelope = z
  .strictObject({
    error: z.string().min(1),
    message: z.string().min(1),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ title: 'ErrorEnvelope', description: 'Why a request was refused.' });

/** By the name of the file that publishes it as JSON Schema (2020-12). */
export const PUBLISHED = {
  'channel-presence-payload': channelPresencePayload,
  'channel-presence-run-event': channelPresenceRunEvent,
  'channel-presence-host-event': channelPresenceHostEvent,
  'channel-presence-capability': channelPresenceCapability,
  'error-envelope': errorEnvelope,
} as const;

export const jsonSchemaOf = (name: keyof typeof PUBLISHED): unknown =>
  z.toJSONSchema(PUBLISHED[name], { target: 'draft-2020-12' });
