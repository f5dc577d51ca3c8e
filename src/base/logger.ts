/** Where a line comes from; shown in the log in brackets. */
export type LogTag = 'app' | 'agent' | 'stderr' | 'wire' | 'session' | 'client' | 'review' | 'view' | 'config' | 'mcp';

/** What the rooms below `vscode` write their log to. The implementation redacts secrets. */
export interface Logger {
  trace(tag: LogTag, message: string, ...details: unknown[]): void;
  info(tag: LogTag, message: string, ...details: unknown[]): void;
  warn(tag: LogTag, message: string, ...details: unknown[]): void;
  error(tag: LogTag, message: string, ...details: unknown[]): void;
}

/** A log that keeps nothing. */
export const nullLogger: Logger = { trace() {}, info() {}, warn() {}, error() {} };
