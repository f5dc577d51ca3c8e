import type { JsonObject } from '../../base/json';
import { asArray, asObject, asString, isObject } from '../../base/json';

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

/** Whether an error is what the server answered, and not what broke on the way there. */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'number') return false;
  // -32000 and -32001 are what the SDK itself says of a closed connection and of a timeout.
  return (error.name === 'McpError' || error.name === 'ProtocolError') && code !== -32_000;
}

/** The addresses of the answer -32042, by which a server wants the person to open pages first. */
export function addressesOf(error: unknown): readonly { readonly message: string; readonly url: string }[] {
  const { code, data } = (isObject(error) || error instanceof Error ? error : {}) as { code?: unknown; data?: unknown };
  if (code !== -32_042) return [];
  return asArray(asObject(data)?.['elicitations']).flatMap((item) => {
    const url = isObject(item) && item['mode'] === 'url' ? asString(item['url']) : undefined;
    return url === undefined ? [] : [{ url, message: asString((item as JsonObject)['message']) ?? '' }];
  });
}
