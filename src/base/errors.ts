import { t } from './l10n';
import { withFullStop } from './text';

/** The kind decides how an error is shown and which buttons it gets. */
type ErrorKind =
  | 'agentNotFound'
  | 'agentExited'
  | 'agentProtocol'
  | 'agentRefused'
  | 'signInRequired'
  | 'outsideWorkspace'
  | 'notFound'
  | 'folderNotFound'
  | 'conflict'
  | 'badInput'
  | 'untrusted'
  | 'canceled'
  | 'internal';

interface ParleyErrorOptions {
  /** One sentence for the user. */
  readonly nextStep?: string;
  /** Details such as the end of stderr. */
  readonly detail?: string;
  readonly cause?: unknown;
}

/** An error with a sentence for the user and a next step. Check its kind, not its class. */
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

/** Not an error: callers that catch it stop silently. */
export class CanceledError extends ParleyError {
  constructor(message = 'Canceled') {
    super('canceled', message);
    this.name = 'CanceledError';
  }
}

export function isCancellation(error: unknown): boolean {
  return ParleyError.is(error, 'canceled') || (error instanceof Error && error.name === 'AbortError');
}

/** The code of a system error, such as `ENOENT`. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error says that a path does not exist. An unreadable one must not be taken for a missing one. */
export function isMissingPath(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Too many open files, in this process or in all; these errors pass. */
export function isOutOfFiles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(systemErrorCode(error) ?? '');
}

/** As the system and git report a full disk, or an exceeded quota. */
const DISK_FULL = /ENOSPC|EDQUOT|No space left on device|Out of diskspace|Disk quota exceeded/;

/** Says what to do about a full disk; other messages stay as they are. */
export function withDiskAdvice(message: string): string {
  return DISK_FULL.test(message) ? t('The disk is full: free some space ({0})', message) : message;
}

/** Accepts any thrown value. */
export function errorMessage(error: unknown): string {
  if (error instanceof ParleyError) return error.message;
  if (error instanceof Error) return withDiskAdvice(error.message || error.name);
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

/** The message and the next step, as sentences for the user. */
export function errorSentences(error: unknown): string {
  const next = ParleyError.is(error) ? error.nextStep : undefined;
  return [errorMessage(error), next ?? ''].filter(Boolean).map(withFullStop).join(' ');
}

/** Reports when something begins to fail, not each failure. */
export class FailureStreak {
  #isFailing = false;

  constructor(private readonly report: ((cause: string) => void) | undefined) {}

  add(error: unknown): void {
    if (!this.#isFailing) this.report?.(errorMessage(error));
    this.#isFailing = true;
  }

  end(): void {
    this.#isFailing = false;
  }
}
