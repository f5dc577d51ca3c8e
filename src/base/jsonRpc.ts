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
