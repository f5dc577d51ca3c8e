import type { FileStatus } from './reviewState';

/** What a turn came to: how long it took, what was called, which files are different. */

/** How a turn ended: a stop reason of ACP, or one of our own (`error`, `interrupted`); unknown ones are kept as they are. */
export type StopReason = string;

/** A file that the agent changed in a turn. */
export interface TurnFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to its workspace folder, with forward slashes. */
  readonly label: string;
  readonly status: FileStatus;
  /** Lines. 0 for a binary file. */
  readonly added: number;
  readonly removed: number;
  /** Tells what was in it after the turn from anything else; absent when there was no file then. */
  readonly mark?: string;
}

export interface TurnSummary {
  /** Index of its prompt. */
  readonly entry: number;
  /** Index after its last entry. */
  readonly end: number;
  readonly ms: number;
  /** Tool calls. */
  readonly tools: number;
  readonly stopReason: StopReason;
  /** Told a moment after the end, when everything was looked at. */
  readonly files?: readonly TurnFile[];
}
