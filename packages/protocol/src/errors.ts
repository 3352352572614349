/** JSON-RPC and MCPL error codes (SPEC Appendix A). */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  FeatureSetNotEnabled: -32001,
  CapabilityDenied: -32002,
  UnknownFeatureSet: -32003,
  CheckpointNotFound: -32005,
  ChannelNotPermitted: -32017,
  UnknownChannel: -32023,
  ChannelOpenFailed: -32024,
} as const;

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** A JSON-RPC error object as it travels. */
export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An error that is answered to the peer with its own `code` and `data`. */
export class McplError extends Error {
  override readonly name = 'McplError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }

  toRpc(): RpcErrorObject {
    return {
      code: this.code,
      message: this.message,
      ...(this.data === undefined ? {} : { data: this.data }),
    };
  }
}

/** What was wrong with one member of a request (RFC-006 §13). `field` is a dotted path inside `params`. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: string;
}

export const invalidParams = (problem: FieldProblem): McplError =>
  new McplError(ErrorCode.InvalidParams, `Invalid params: ${problem.field} ${problem.reason}`, problem);

export const capabilityDenied = (capability: string): McplError =>
  new McplError(ErrorCode.CapabilityDenied, `Capability denied: ${capability}`, { capability });

export const featureSetNotEnabled = (featureSet: string): McplError =>
  new McplError(ErrorCode.FeatureSetNotEnabled, `Feature set not enabled: ${featureSet}`, { featureSet });

export const unknownFeatureSet = (featureSet: string): McplError =>
  new McplError(ErrorCode.UnknownFeatureSet, `Unknown feature set: ${featureSet}`, { featureSet });

export const channelNotPermitted = (channelId: string): McplError =>
  new McplError(ErrorCode.ChannelNotPermitted, `Channel not permitted: ${channelId}`, { channelId });

export const unknownChannel = (channelId: string): McplError =>
  new McplError(ErrorCode.UnknownChannel, `Unknown channel: ${channelId}`, { channelId });

export const methodNotFound = (method: string): McplError =>
  new McplError(ErrorCode.MethodNotFound, `Method not found: ${method}`, { method });
