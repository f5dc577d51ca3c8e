import type { FileStatus } from './reviewState';

/** Summary of a turn: duration, tool calls, changed files. */

/**
 * How a turn ended: a stop reason of ACP, or one of our own (`error`, `interrupted`); unknown values stay unchanged.
 */
export type StopReason = string;

/** A file that the agent changed in a turn. */
export interface TurnFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to its workspace folder, with forward slashes. */
  readonly label: string;
  readonly status: FileStatus;
  /** Number of lines; 0 for a binary file. */
  readonly added: number;
  readonly removed: number;
  /** Identifies the content after the turn; absent when the file did not exist then. */
  readonly mark?: string;
  /** Identifies the content before the turn; absent when the file did not exist then. */
  readonly before?: string;
  /** The user has changed the file in the turn, too. */
  readonly isShared?: true;
}

export interface TurnSummary {
  /** Index of its prompt. */
  readonly entry: number;
  /** Index after its last entry. */
  readonly end: number;
  readonly ms: number;
  /** Number of tool calls. */
  readonly tools: number;
  /** Number of tool calls that ran without asking. */
  readonly unasked?: number;
  readonly stopReason: StopReason;
  /** Set shortly after the end of the turn, when all files were checked. */
  readonly files?: readonly TurnFile[];
}
