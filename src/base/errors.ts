/** What kind of trouble an error is; decides how it is shown and which buttons it gets. */
export type ErrorKind =
  | 'agentNotFound'
  | 'agentExited'
  | 'agentProtocol'
  | 'agentRefused'
  | 'signInRequired'
  | 'outsideWorkspace'
  | 'notFound'
  | 'conflict'
  | 'badInput'
  | 'untrusted'
  | 'canceled'
  | 'internal';

export interface ParleyErrorOptions {
  /** What the user can do about it, one sentence. */
  readonly nextStep?: string;
  /** Text for those who want to know more, such as the tail of stderr. */
  readonly detail?: string;
  readonly cause?: unknown;
}

/** An error with a sentence for the user and a next step. Its kind, not its class, says what happened. */
export class ParleyError extends Error {
  readonly kind: ErrorKind;
  readonly nextStep: string | undefined;
  readonly detail: string | undefined;

  constructor(kind: ErrorKind, message: string, options: ParleyErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ParleyError';
    this.kind = kind;
    this.nextStep = options.nextStep;
    this.detail = options.detail;
  }

  static is(error: unknown, kind?: ErrorKind): error is ParleyError {
    return error instanceof ParleyError && (kind === undefined || error.kind === kind);
  }
}

/** Cancellation is not an error: whoever catches this stops quietly. */
export class CanceledError extends ParleyError {
  constructor(message = 'Canceled') {
    super('canceled', message);
    this.name = 'CanceledError';
  }
}

export function isCancellation(error: unknown): boolean {
  return ParleyError.is(error, 'canceled') || (error instanceof Error && error.name === 'AbortError');
}

/** The sentence of anything that was thrown, whatever its type. */
export function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string') {
    return error.message;
  }
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return String(error);
  }
}
