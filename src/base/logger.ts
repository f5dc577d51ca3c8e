/** The source of a log line, shown in brackets. */
export type LogTag =
  | 'app'
  | 'agent'
  | 'stderr'
  | 'wire'
  | 'session'
  | 'client'
  | 'review'
  | 'worktrees'
  | 'ui'
  | 'config'
  | 'mcp'
  | 'a2a';

/** The log for rooms without `vscode`. The implementation redacts secrets. */
export interface Logger {
  trace(tag: LogTag, message: string, ...details: unknown[]): void;
  info(tag: LogTag, message: string, ...details: unknown[]): void;
  warn(tag: LogTag, message: string, ...details: unknown[]): void;
  error(tag: LogTag, message: string, ...details: unknown[]): void;
}

export const nullLogger: Logger = { trace() {}, info() {}, warn() {}, error() {} };
