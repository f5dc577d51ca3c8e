import * as vscode from 'vscode';
import { errorMessage } from './base/errors';
import type { Disposable } from './base/lifecycle';
import type { Logger, LogTag } from './base/logger';
import type { Redactor } from './base/redactor';
import { truncate } from './base/text';

/** Maximum UTF-16 units of a message, and of each detail. */
const MAX_DETAIL = 20_000;

/** The output channel "Parley". Every line has a tag; secrets are redacted here, just before the output. */
export class OutputLog implements Logger, Disposable {
  readonly #channel = vscode.window.createOutputChannel('Parley', { log: true });

  constructor(private readonly redactor: Redactor) {}

  trace(tag: LogTag, message: string, ...details: unknown[]): void {
    // The text is built only if it will be logged: tracing logs all traffic.
    if (this.#channel.logLevel === vscode.LogLevel.Trace) this.#channel.trace(this.#line(tag, message, details));
  }

  info(tag: LogTag, message: string, ...details: unknown[]): void {
    this.#channel.info(this.#line(tag, message, details));
  }

  warn(tag: LogTag, message: string, ...details: unknown[]): void {
    this.#channel.warn(this.#line(tag, message, details));
  }

  error(tag: LogTag, message: string, ...details: unknown[]): void {
    this.#channel.error(this.#line(tag, message, details));
  }

  /** Shows the output channel. */
  show(): void {
    this.#channel.show();
  }

  dispose(): void {
    this.#channel.dispose();
  }

  #line(tag: LogTag, message: string, details: readonly unknown[]): string {
    return this.redactor.redact([`[${tag}] ${truncate(message, MAX_DETAIL)}`, ...details.map(detailText)].join(' '));
  }
}

function detailText(detail: unknown): string {
  if (typeof detail === 'string') return truncate(detail, MAX_DETAIL);
  if (detail instanceof Error) return truncate(detail.stack ?? detail.message, MAX_DETAIL);
  return truncate(errorMessage(detail), MAX_DETAIL);
}
