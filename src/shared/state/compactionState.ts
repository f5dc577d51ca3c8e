import type { Block, TextPatch } from './contentBlocks';
import { patchText } from './contentBlocks';

/** The agent compacts its context; the summary is what it retains. */
export interface CompactionEntry {
  readonly kind: 'compaction';
  readonly compactionId: string;
  /** `in_progress`, `completed`, `failed`, `cancelled` or any value of the agent. */
  readonly status: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly error?: string;
  readonly at: number;
}

export interface CompactionPatch extends TextPatch {
  readonly status?: string;
  readonly error?: string;
}

export type CompactionAction =
  | {
      readonly type: 'compactionStarted';
      readonly compactionId: string;
      readonly patch: CompactionPatch;
      readonly at: number;
    }
  | { readonly type: 'compactionChanged'; readonly entry: number; readonly patch: CompactionPatch };

export function startCompaction({
  compactionId,
  patch,
  at,
}: Extract<CompactionAction, { type: 'compactionStarted' }>): CompactionEntry {
  const blank: CompactionEntry = { kind: 'compaction', compactionId, status: 'in_progress', text: '', blocks: [], at };
  return patchCompaction(blank, patch);
}

export function patchCompaction(entry: CompactionEntry, patch: CompactionPatch): CompactionEntry {
  const { status = entry.status, error } = patch;
  return { ...patchText(entry, patch), status, ...(error !== undefined && { error }) };
}
