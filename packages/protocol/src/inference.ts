import { z } from 'zod';
import { content } from './content.js';

/** `inference/request`, server to host (SPEC §11.2); refused while the host waits for a render (RFC-006 §5.4). */
export const inferenceRequestParams = z.looseObject({
  featureSet: z.string().min(1, 'must not be empty'),
  conversationId: z.string().optional(),
  stream: z.boolean().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content })),
  preferences: z.looseObject({ maxTokens: z.number().int().optional(), temperature: z.number().optional() }).optional(),
});
export const inferenceRequestResult = z.looseObject({
  content: z.string(),
  model: z.string(),
  finishReason: z.enum(['end_turn', 'max_tokens', 'stop_sequence']),
  usage: z.looseObject({ inputTokens: z.number(), outputTokens: z.number() }).optional(),
});

/** `inference/lifecycle`, metadata only, best effort; consumers keep a safety time-out (SPEC §10.5). */
export const inferenceLifecycleParams = z.looseObject({
  inferenceId: z.string(),
  conversationId: z.string(),
  turnIndex: z.number().int().min(0),
  phase: z.enum(['started', 'completed', 'aborted', 'failed']),
});
export type InferenceLifecycleParams = z.infer<typeof inferenceLifecycleParams>;

/** `model/info` (SPEC §12). */
export const modelInfoParams = z.looseObject({});
export const modelInfoResult = z.looseObject({
  id: z.string(),
  vendor: z.string(),
  contextWindow: z.number().int(),
  capabilities: z.array(z.string()),
});
