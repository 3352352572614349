import { ErrorCode, type RpcErrorObject } from '@mcpl-bridges/protocol';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';

/** A frame that is no JSON-RPC message, with the one error its sender is told. */
export interface RefusedFrame {
  readonly kind: 'refused';
  readonly error: RpcErrorObject;
  /** The id of the offending request where it could be read, so that its sender is not left waiting. */
  readonly id: string | number | null;
}

export type DecodedFrame = { readonly kind: 'message'; readonly message: JSONRPCMessage } | RefusedFrame;

const refuse = (code: number, message: string, id: string | number | null = null): RefusedFrame => ({
  kind: 'refused',
  error: { code, message },
  id,
});

export const oversizedFrame = (bytes: number, limit: number): RefusedFrame =>
  refuse(ErrorCode.InvalidRequest, `frame of ${bytes} bytes exceeds the limit of ${limit}; send large content by uri`);

export const binaryFrame = (): RefusedFrame =>
  refuse(ErrorCode.ParseError, 'frame is not text; send UTF-8 JSON-RPC, one message a frame');

/** Decodes the text of one frame. Never throws. */
export const decodeText = (text: string): DecodedFrame => {
  if (isDeeperThan(MAX_DEPTH, text))
    return refuse(ErrorCode.InvalidRequest, `frame is nested deeper than ${MAX_DEPTH} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(ErrorCode.ParseError, 'frame is not JSON; send one JSON-RPC message a line');
  }
  if (Array.isArray(value))
    return refuse(ErrorCode.InvalidRequest, 'JSON-RPC batches are not supported; send one message a frame');
  if (looksLikeMessage(value)) return { kind: 'message', message: value };
  const parsed = JSONRPCMessageSchema.safeParse(value);
  if (parsed.success) return { kind: 'message', message: parsed.data };
  return refuse(ErrorCode.InvalidRequest, 'frame is not a JSON-RPC 2.0 message', idOf(value));
};

/** Levels of objects and arrays in one frame; what walks a message walks them on the stack. */
const MAX_DEPTH = 512;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 91, 93, 123, 125];

/** Looks at brackets outside strings only; a text too short to be that deep is not looked at. */
const isDeeperThan = (limit: number, text: string): boolean => {
  if (text.length <= limit) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > limit) return true;
  }
  return false;
};

const endOfString = (text: string, from: number): number => {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
};

const idOf = (value: unknown): string | number | null => {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
};

/** The common shapes, checked without a schema because every event passes here. */
const looksLikeMessage = (value: unknown): value is JSONRPCMessage => {
  if (typeof value !== 'object' || value === null) return false;
  const { jsonrpc, id, method, params, result } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0') return false;
  const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
  const objectOrAbsent = (member: unknown): boolean =>
    member === undefined || (typeof member === 'object' && member !== null && !Array.isArray(member));
  if (typeof method === 'string') return (hasId || id === undefined) && objectOrAbsent(params);
  return hasId && typeof result === 'object' && result !== null;
};
