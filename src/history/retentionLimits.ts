/** What is kept of transcripts. */
export interface RetentionLimits {
  /** 0: whatever its age. */
  readonly maxAgeDays: number;
  /** MiB of all transcripts of a workspace together. */
  readonly maxSizeMB: number;
}

/** A transcript as pruning sees it. */
export interface TranscriptSize {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** When something last happened in it; milliseconds since 1970. */
  readonly at: number;
  /** It stays whatever its age. */
  readonly spared: boolean;
}

const DAY = 24 * 60 * 60_000;
const MIB = 1024 * 1024;

/**
 * The ids of those that go: what is too old, and what is older than the newest that have room together. One that is spared takes its room
 * in its turn, so that an old one does not push out what is newer. Pure.
 */
export function exceedingLimits(
  files: readonly TranscriptSize[],
  { maxAgeDays, maxSizeMB }: RetentionLimits,
  now: number,
): string[] {
  const oldest = maxAgeDays === 0 ? -Infinity : now - maxAgeDays * DAY;
  const gone: string[] = [];
  let left = maxSizeMB * MIB;
  for (const { id, size, at, spared } of files.toSorted((a, b) => b.at - a.at)) {
    left -= size;
    if (!spared && (at < oldest || left < 0)) gone.push(id);
  }
  return gone;
}
