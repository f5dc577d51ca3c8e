import type { TranscriptFile } from '../transcriptFile';
import type { TextSlice } from './scanText';

/** UTF-16 units that stay in memory while a user types: those of the texts, and as many of their folded forms. */
const KEPT = 20_000_000;

interface Kept {
  readonly of: TranscriptFile;
  readonly pieces: readonly TextSlice[];
}

/**
 * The bodies that are in memory. Every search begins with the newest sessions, so those that came first stay when there is no more
 * room: dropping the oldest would drop each one just before it is needed again.
 */
export class SearchTextCache {
  readonly #kept = new Map<string, Kept>();
  #units = 0;

  get(of: TranscriptFile): readonly TextSlice[] | undefined {
    const kept = this.#kept.get(of.id);
    if (kept && isUnchanged(kept.of, of)) return kept.pieces;
    if (kept) this.#delete(of.id, kept);
    return undefined;
  }

  /** Keeps a body where there is room. */
  keep(of: TranscriptFile, pieces: readonly TextSlice[]): void {
    const old = this.#kept.get(of.id);
    if (old) this.#delete(of.id, old);
    const units = unitsOf(pieces);
    if (this.#units + units > KEPT) return;
    this.#units += units;
    this.#kept.set(of.id, { of, pieces });
  }

  clear(): void {
    this.#kept.clear();
    this.#units = 0;
  }

  #delete(id: string, { pieces }: Kept): void {
    this.#kept.delete(id);
    this.#units -= unitsOf(pieces);
  }
}

/** Whether a transcript was not written to in between. */
export function isUnchanged(a: TranscriptFile, b: TranscriptFile): boolean {
  return a.size === b.size && a.at === b.at;
}

function unitsOf(pieces: readonly TextSlice[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length * 2, 0);
}
