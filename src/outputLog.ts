import * as vscode from 'vscode';
import { messageOf } from './base/errors';
import type { Disposable } from './base/lifecycle';
import type { Log, LogTag } from './base/logger';
import type { Redactor } from './base/redactor';
import { shorten } from './base/text';

/** Longest text of one detail, in UTF-16 units. */
const MAX_DETAIL = 20_000;

/** The output channel "Parley". Every line carries a tag; secrets are taken out here, at the sink. */
export class OutputLog implements Log, Disposable {
  readonly #channel = vscode.window.createOutputChannel('Parley', { log: true });
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  trace(tag: LogTag, message: string, ...details: unknown[]): void {
    // The text is made only when somebody wants it: traffic is traced.
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

  /** Brings the channel into view. */
  show(): void {
    this.#channel.show();
  }

  dispose(): void {
    this.#channel.dispose();
  }

  #line(tag: LogTag, message: string, details: readonly unknown[]): string {
    return this.#redactor.redact([`[${tag}] ${message}`, ...details.map(detailText)].join(' '));
  }
}

function detailText(detail: unknown): string {
  if (typeof detail === 'string') return shorten(detail, MAX_DETAIL);
  if (detail instanceof Error) return shorten(detail.stack ?? detail.message, MAX_DETAIL);
  return shorten(messageOf(detail), MAX_DETAIL);
}
