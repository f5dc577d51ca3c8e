import { errorMessage } from '../../base/errors';
import type { RpcError } from '../../base/jsonRpc';
import { RestrictedFetchError } from '../../node/http/restrictedRequest';

/** The failed component; sent as `mcp_error.data.cause` for errors that are not the MCP server's own. */
type FailureCause = 'refused' | 'network' | 'http' | 'protocol' | 'session' | 'internal';

/** `mcp_error` of a FAILED task. */
export interface McpError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A call without an answer of an MCP server. */
export class McpCallError extends Error {
  readonly reason: FailureCause;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(reason: FailureCause, message: string, detail: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'CallError';
    this.reason = reason;
    this.detail = detail;
  }
}

/** In JSON-RPC's range for implementation-defined errors. */
const CODES: Readonly<Record<FailureCause, number>> = {
  refused: -32010,
  network: -32011,
  http: -32012,
  protocol: -32013,
  session: -32014,
  internal: -32603,
};

/** Converts any thrown value to an error for the caller. */
export function toMcpError(error: unknown): McpError {
  if (error instanceof McpCallError) return createMcpError(error.reason, error.message, error.detail);
  if (error instanceof RestrictedFetchError) return createMcpError(error.reason, error.message);
  if (isRpcError(error)) return createMcpError('session', error.message);
  if (isCanceledBy(error)) return createMcpError('session', 'The session or its server has ended');
  return createMcpError('internal', `Something unexpected happened: ${errorMessage(error)}`);
}

/** Parley or the user refused the call before it was sent. */
export function isRefusedCall({ code }: McpError): boolean {
  return code === CODES.refused;
}

/** Checks the name, not the class: errors of tool servers come from another chunk. */
function isRpcError(error: unknown): error is RpcError {
  return error instanceof Error && error.name === 'RpcError' && 'code' in error && typeof error.code === 'number';
}

function isCanceledBy(error: unknown): boolean {
  return error instanceof Error && (error.name === 'CanceledError' || error.name === 'AbortError');
}

function createMcpError(
  cause: FailureCause,
  message: string,
  detail: Readonly<Record<string, unknown>> = {},
): McpError {
  return { code: CODES[cause], message, data: { cause, ...detail } };
}
