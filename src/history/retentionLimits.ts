import type { Disposable } from '../base/lifecycle';

/** Which sessions are open, in this window or another. */
export interface SessionAvailability {
  isAvailable(id: string): boolean;
  /** Prevents opening until disposed; undefined when the session is open. */
  reserve(id: string): Disposable | undefined;
}

export interface RetentionLimits {
  /** 0 means no limit. */
  readonly maxAgeDays: number;
  /** MiB of all transcripts of a workspace. */
  readonly maxSizeMB: number;
}

export interface TranscriptSize {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** Last activity, milliseconds since 1970. */
  readonly at: number;
  /** Never deleted because of age. */
  readonly isExempt: boolean;
}

/** The time to compare the ages of transcripts with, in milliseconds since 1970. */
export type TimeOf = (all: readonly TranscriptSize[]) => Promise<number>;

const DAY_MS = 24 * 60 * 60_000;
const MIB = 1024 * 1024;

/**
 * The ids of transcripts to delete: those that are too old, or beyond the size limit in order of age. Exempt transcripts count towards the
 * size limit in the same order, so that an old exempt one does not displace newer ones. Pure.
 */
export function exceedingLimits(
  files: readonly TranscriptSize[],
  { maxAgeDays, maxSizeMB }: RetentionLimits,
  now: number,
): string[] {
  const oldest = maxAgeDays === 0 ? -Infinity : now - maxAgeDays * DAY_MS;
  const expired: string[] = [];
  let remaining = maxSizeMB * MIB;
  for (const { id, size, at, isExempt } of files.toSorted((a, b) => b.at - a.at)) {
    remaining -= size;
    if (!isExempt && (at < oldest || remaining < 0)) expired.push(id);
  }
  return expired;
}
