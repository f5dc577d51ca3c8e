import type { Entry } from '../../../shared/state/sessionState';

/** Finished reads in a row, by their indexes; the end is excluded. */
export interface ReadRun {
  readonly start: number;
  readonly end: number;
}

/** Fewer reads are shown one by one. */
const MIN_READS = 3;

/** Runs of read tool calls that are done and show nothing below their row. */
export function findReadRuns(entries: readonly Entry[]): ReadRun[] {
  const runs: ReadRun[] = [];
  let start = 0;
  for (let at = 0; at <= entries.length; at++) {
    const entry = entries[at];
    if (entry && isQuietRead(entry)) continue;
    if (at - start >= MIN_READS) runs.push({ start, end: at });
    start = at + 1;
  }
  return runs;
}

function isQuietRead(entry: Entry): boolean {
  if (entry.kind !== 'tool' || entry.tool !== 'read' || entry.status !== 'done' || entry.waiting > 0) return false;
  return entry.content.every(({ type }) => type !== 'diff' && type !== 'terminal');
}

/** The files that the reads of a run name, each once. */
export function filesRead(entries: readonly Entry[]): string[] {
  const labels = entries.map((entry) => (entry.kind === 'tool' ? (entry.locations[0]?.label ?? entry.title) : ''));
  return [...new Set(labels)];
}
