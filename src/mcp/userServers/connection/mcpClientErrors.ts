import { errorMessage, ParleyError } from '../../../base/errors';
import type { JsonObject } from '../../../base/json';
import { asArray, asObject, asString, isObject } from '../../../base/json';
import { t } from '../../../base/l10n';

/** What is said when a connection could not be opened: a sentence, and the end of its stderr. */
export class OpenError extends Error {
  readonly tail: string;
  /** Trying again changes nothing: there is no such program, or a sign-in is wanted. */
  readonly isFinal: boolean;

  constructor(message: string, tail: string, isFinal: boolean, cause: unknown) {
    super(message, { cause });
    this.name = 'OpenError';
    this.tail = tail;
    this.isFinal = isFinal;
  }
}

/**
 * Why a connection that stood, or came to stand, is gone.
 * @param why what broke, in its first line, and the end of its stderr
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

/** What went wrong, with what was behind it: "fetch failed" alone says nothing. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${errorMessage(error.cause)}` : '';
  return errorMessage(error) + cause;
}

/** Whether an error is what the server answered, and not what broke on the way there. */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'number') return false;
  // -32000 and -32001 are what the SDK itself says of a closed connection and of a timeout.
  return (error.name === 'McpError' || error.name === 'ProtocolError') && code !== -32_000;
}

/** The addresses of the answer -32042, by which a server wants the user to open pages first. */
export function addressesOf(error: unknown): readonly { readonly message: string; readonly url: string }[] {
  const { code, data } = (isObject(error) || error instanceof Error ? error : {}) as { code?: unknown; data?: unknown };
  if (code !== -32_042) return [];
  return asArray(asObject(data)?.['elicitations']).flatMap((item) => {
    const url = isObject(item) && item['mode'] === 'url' ? asString(item['url']) : undefined;
    return url === undefined ? [] : [{ url, message: asString((item as JsonObject)['message']) ?? '' }];
  });
}

/** Whether an error tells that the connection is gone: not an answer, a timeout, or a cancellation. */
export function isBroken(error: unknown): boolean {
  if (isAnswer(error) || !(error instanceof Error)) return false;
  return !/timed? ?out|aborted|AbortError/i.test(`${error.name} ${error.message}`);
}
