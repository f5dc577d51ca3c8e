/** An error with the fields of a JSON-RPC error object. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** An error of an agent that is about signing in, by its words. */
export class SignInError extends RpcError {}

/** UTF-16 units of an agent's error message; the log has all of it. */
export const MAX_ERROR_CHARS = 2_000;

/** Codes of JSON-RPC 2.0 and of ACP v1. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  authRequired: -32000,
  resourceNotFound: -32002,
  requestCancelled: -32800,
} as const;

/** -32602; the message names the invalid field. */
export function invalidParams(message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message);
}
