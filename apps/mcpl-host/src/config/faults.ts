import { z } from 'zod';

const ms = z.number().int().min(0, 'must be a number of milliseconds');

/** What this host gets wrong with one server on purpose, to see that the server copes. */
export const faults = z.strictObject({
  policy: z
    .union([z.enum(['absent', 'empty', 'malformed', 'notification']), z.strictObject({ lateMs: ms })], {
      error: 'must be "absent", "empty", "malformed", "notification" or {"lateMs": ms}',
    })
    .optional(),
  descriptors: z.literal('refused', { error: 'must be "refused"' }).optional(),
  renders: z.literal('given-up', { error: 'must be "given-up"' }).optional(),
  answers: z
    .array(
      z.strictObject({
        method: z.enum(['push/event', 'channels/incoming', 'channels/register', 'channels/changed', 'channels/list']),
        fate: z.union([z.enum(['empty', 'lost', 'unheard', 'disconnect']), z.strictObject({ lateMs: ms })], {
          error: 'must be "empty", "lost", "unheard", "disconnect" or {"lateMs": ms}',
        }),
        times: z.number().int().min(1).optional(),
      }),
    )
    .optional(),
});
