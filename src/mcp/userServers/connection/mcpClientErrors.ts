import { errorMessage, ParleyError } from '../../../base/errors';
import type { JsonObject } from '../../../base/json';
import { asArray, asNumber, asObject, asString, isObject } from '../../../base/json';
import { RpcError, rpcCodes } from '../../../base/jsonRpc';
import { t } from '../../../base/l10n';
import { truncate } from '../../../base/text';
import { ToolError } from '../../contract/toolServerTypes';

/** UTF-16 units of a server's error, which the user reads. */
const MAX_MESSAGE = 1_000;

/** A connection that could not be opened, with the end of its stderr. */
export class OpenError extends Error {
  readonly tail: string;
  /** Retrying is pointless: the program is missing, or a sign-in is required. */
  readonly isFinal: boolean;

  constructor(message: string, tail: string, isFinal: boolean, cause: unknown) {
    super(truncate(message, MAX_MESSAGE), { cause });
    this.name = 'OpenError';
    this.tail = tail;
    this.isFinal = isFinal;
  }
}

/**
 * The error of a broken connection.
 * @param why first line of the cause, and the end of stderr
 */
export function lostError(why: string | undefined): OpenError {
  const [first = t('the connection ended'), ...rest] = (why ?? '').split('\n').filter(Boolean);
  return new OpenError(first, rest.join('\n'), false, undefined);
}

/** @param tail the end of its stderr */
export function asOpenError(error: unknown, tail = ''): OpenError {
  if (error instanceof OpenError) return error;
  return new OpenError(reasonOf(error), tail, ParleyError.is(error, 'signInRequired'), error);
}

/** Includes causes: "fetch failed" alone says nothing. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${errorMessage(error.cause)}` : '';
  return errorMessage(error) + cause;
}

/** The message of a server's error, for a log. */
export function shortMessage(error: unknown): string {
  return truncate(errorMessage(error), MAX_MESSAGE);
}

/** The error as an agent gets it: with its code, and without text or data that is too long. */
export function toShortError(error: unknown): RpcError {
  const { code, data } = (isObject(error) || error instanceof Error ? error : {}) as { code?: unknown; data?: unknown };
  const isShort = (JSON.stringify(data)?.length ?? 0) <= MAX_MESSAGE;
  return new RpcError(asNumber(code) ?? rpcCodes.internalError, shortMessage(error), isShort ? data : undefined);
}

/** Whether the error is the server's answer rather than a transport failure. */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'number') return false;
  // The SDK itself uses -32000 and -32001 for a closed connection and a timeout.
  return (error.name === 'McpError' || error.name === 'ProtocolError') && code !== -32_000;
}

/** The SDK's error for a request that got no answer in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === -32_001;
}

/** The URLs of error -32042, which the user must open before the call can succeed. */
export function addressesOf(error: unknown): readonly { readonly message: string; readonly url: string }[] {
  const { code, data } = (isObject(error) || error instanceof Error ? error : {}) as { code?: unknown; data?: unknown };
  if (code !== -32_042) return [];
  return asArray(asObject(data)?.['elicitations']).flatMap((item) => {
    const url = isObject(item) && item['mode'] === 'url' ? asString(item['url']) : undefined;
    return url === undefined ? [] : [{ url, message: asString((item as JsonObject)['message']) ?? '' }];
  });
}

/** Whether the connection is broken: no answer, timeout, or cancellation. */
export function isBroken(error: unknown): boolean {
  if (isAnswer(error) || !(error instanceof Error)) return false;
  return !/timed? ?out|aborted|AbortError/i.test(`${error.name} ${error.message}`);
}

export type ConnectionState =
  | { readonly status: 'stopped' }
  /** `isSilent`: the server has not answered the first message. */
  | { readonly status: 'connecting'; readonly isSilent?: boolean }
  | { readonly status: 'ready' }
  /** `again`: milliseconds until the next attempt, if any. */
  | { readonly status: 'failed'; readonly message: string; readonly tail: string; readonly again?: number };

/** @param isSilent the server has not answered the first message */
export function connectingText(isSilent: boolean | undefined): string {
  return isSilent === true
    ? t(
        'connecting: no answer yet. The program is still starting, or it expects other messages than MCP’s, such as with Content-Length headers',
      )
    : t('connecting');
}

/** The error of a call without a connection. */
export function notConnectedError(name: string, state: ConnectionState): ToolError {
  const problem = state.status === 'failed' ? `cannot be reached: ${state.message}` : 'is not connected';
  return new ToolError(`The MCP server “${name}” ${problem}.`, 'Try again in a few seconds, or go on without it.');
}
