import { ErrorCode, invalidParams, type RpcErrorObject } from '@mcpl-bridges/protocol';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/**
 * A message with the members that JSON-RPC knows and no others: the SDK drops one that has more, and its sender would
 * wait for an answer that never comes.
 */
export const plainMessage = (message: JSONRPCMessage): JSONRPCMessage => {
  const { jsonrpc } = message;
  if ('method' in message) {
    const call = {
      jsonrpc,
      method: message.method,
      ...(message.params === undefined ? {} : { params: message.params }),
    };
    return 'id' in message ? { ...call, id: message.id } : call;
  }
  return 'result' in message
    ? { jsonrpc, id: message.id, result: message.result }
    : { jsonrpc, id: message.id, error: message.error };
};

const DECORATION = /^MCP error -?\d+: /;

/**
 * An error of the SDK's as others would have put it: without what the SDK puts before the message, and with the code for
 * invalid params where the request did not fit a schema, which the SDK takes for an error of its own.
 */
export const plainError = (error: RpcErrorObject): RpcErrorObject => {
  const issue = error.code === ErrorCode.InternalError ? firstIssue(error.message) : undefined;
  if (!issue) return { ...error, message: error.message.replace(DECORATION, '') };
  const [, ...path] = issue.path;
  return invalidParams({ field: path.map(String).join('.') || 'params', reason: issue.message }).toRpc();
};

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The SDK answers with the issues of the failed parse, as JSON. */
const firstIssue = (message: string): Issue | undefined => {
  if (!message.startsWith('[')) return undefined;
  try {
    const [first] = JSON.parse(message) as [Partial<Issue>?];
    return Array.isArray(first?.path) && typeof first.message === 'string' ? (first as Issue) : undefined;
  } catch {
    return undefined;
  }
};
