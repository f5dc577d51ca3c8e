import type { JsonObject } from './json';
import { isObject } from './json';
import { RpcError, rpcCodes } from './jsonRpc';

/** Parses a JSON-RPC message; for invalid text the result is the error response (JSON-RPC 2.0, section 5.1). Batches are not supported. */
export function parseRpcMessage(text: string): JsonObject | RpcError {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new RpcError(rpcCodes.parseError, 'The text is not JSON');
  }
  if (isObject(value)) return value;
  const message = Array.isArray(value) ? 'Batches are not served' : 'A message must be one JSON object';
  return new RpcError(rpcCodes.invalidRequest, message);
}

/** Parses a request, notification or response; for anything else the result is the error response. */
export function readRpcMessage(text: string): JsonObject | RpcError {
  const message = parseRpcMessage(text);
  return message instanceof RpcError ? message : (invalidMessage(message) ?? message);
}

function invalidMessage(message: JsonObject): RpcError | undefined {
  const { jsonrpc, id, method } = message;
  const invalid = (why: string): RpcError => new RpcError(rpcCodes.invalidRequest, why);
  if (jsonrpc !== '2.0') return invalid('"jsonrpc" must be "2.0"');
  if (method === undefined)
    return 'result' in message || 'error' in message ? undefined : invalid('"method" must be a string');
  if (typeof method !== 'string') return invalid('"method" must be a string');
  const isId = id === undefined || typeof id === 'string' || typeof id === 'number';
  return isId ? undefined : invalid('"id" must be a string or a number');
}
