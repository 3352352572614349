import type { Attachment, Channel, Json } from '../world/entities.js';
import type { NewMessage } from '../world/message-ops.js';
import type { World } from '../world/world.js';
import type { RestContext } from './context.js';
import { emptyMessage, entityTooLarge, invalidForm } from './errors.js';

/** Longest message content, characters as Discord counts them (Unicode code points). */
const MAX_CONTENT = 2000;
/** Largest upload of an app without boosts, bytes. */
const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;

export interface MessageBody {
  readonly payload: Json;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array; readonly contentType: string }[];
}

/** Reads JSON, or multipart with `payload_json` and `files[n]`. */
export const readMessageBody = async (c: RestContext): Promise<MessageBody> => {
  if (!c.req.header('content-type')?.startsWith('multipart/form-data'))
    return { payload: await readJson(c), files: [] };
  const form = await c.req.formData();
  const payload = JSON.parse(String(form.get('payload_json') ?? '{}')) as Json;
  const files = [];
  for (const [, value] of form) {
    if (typeof value === 'string') continue;
    files.push({ name: value.name, bytes: await value.bytes(), contentType: value.type || 'application/octet-stream' });
  }
  if (files.reduce((sum, file) => sum + file.bytes.length, 0) > MAX_UPLOAD_BYTES) throw entityTooLarge();
  return { payload, files };
};

export const readJson = async (c: RestContext): Promise<Json> => {
  const text = await c.req.text();
  if (text === '') return {};
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw invalidForm('_', 'JSON_INVALID', 'The request body contains invalid JSON.');
  }
};

export const checkContent = (content: unknown): string => {
  if (content === undefined || content === null) return '';
  if (typeof content !== 'string') throw invalidForm('content', 'BASE_TYPE_STRING', 'Must be a string.');
  if ([...content].length > MAX_CONTENT)
    throw invalidForm('content', 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_CONTENT} or fewer in length.`);
  return content.trim();
};

/** Stores uploaded files and returns them as attachments with a link that the sandbox serves. */
export const storeFiles = (world: World, channel: Channel, body: MessageBody): Attachment[] =>
  body.files.map((file) => storeFile(world, channel, file));

export const storeFile = (
  world: World,
  channel: Channel,
  file: { name: string; bytes: Uint8Array; contentType: string },
): Attachment => {
  const id = world.nextId();
  const path = `${channel.id}/${id}/${file.name}`;
  world.files.set(path, { bytes: file.bytes, contentType: file.contentType });
  const url = world.linkTo(path);
  return {
    id,
    filename: file.name,
    size: file.bytes.length,
    url,
    proxy_url: url,
    content_type: file.contentType,
    flags: 0,
  };
};

/** What a create request makes. @throws DiscordError 50006 or 50035 */
export const toNewMessage = (
  world: World,
  channel: Channel,
  body: MessageBody,
): Omit<NewMessage, 'author' | 'channel'> => {
  const { payload } = body;
  const content = checkContent(payload.content);
  const embeds = Array.isArray(payload.embeds) ? (payload.embeds as Json[]) : [];
  const components = Array.isArray(payload.components) ? (payload.components as Json[]) : [];
  if (content === '' && embeds.length === 0 && components.length === 0 && body.files.length === 0 && !payload.poll)
    throw emptyMessage();
  const allowed = payload.allowed_mentions as { parse?: NewMessage['parse']; users?: string[] } | undefined;
  const reference = payload.message_reference as
    | { message_id?: string; type?: number; fail_if_not_exists?: boolean }
    | undefined;
  const target = reference?.message_id;
  const exists = target !== undefined && world.messagesOf(channel.id).has(target);
  if (target !== undefined && !exists && reference?.fail_if_not_exists !== false)
    throw invalidForm('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
  return {
    content,
    embeds,
    components,
    attachments: storeFiles(world, channel, body),
    ...(allowed ? { parse: allowed.users?.length ? ['users', ...(allowed.parse ?? [])] : (allowed.parse ?? []) } : {}),
    ...(target !== undefined && exists ? { reference: { type: reference?.type ?? 0, messageId: target } } : {}),
    ...(payload.nonce === undefined ? {} : { nonce: payload.nonce as string }),
    ...(typeof payload.flags === 'number' ? { flags: payload.flags } : {}),
    ...(payload.poll ? { extra: { poll: pollOf(payload.poll as PollRequest) } } : {}),
  };
};

interface PollRequest {
  readonly question: Json;
  readonly answers: readonly Json[];
  readonly allow_multiselect?: boolean;
}

/** A poll as Discord answers it: its answers numbered. */
const pollOf = ({ question, answers, allow_multiselect = false }: PollRequest): Json => ({
  question,
  answers: answers.map((answer, i) => ({ ...answer, answer_id: i + 1 })),
  expiry: null,
  allow_multiselect,
  layout_type: 1,
});
