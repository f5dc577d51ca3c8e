import type { TranscriptFile } from '../transcriptFile';
import type { TextSlice } from './scanText';

/** Maximum UTF-16 units of the texts cached while a user types; their case-folded forms take as many again. */
const MAX_CACHED = 20_000_000;

interface CachedText {
  readonly of: TranscriptFile;
  readonly pieces: readonly TextSlice[];
}

/**
 * Bodies in memory. Searches start with the newest sessions, so a full cache keeps its first entries: dropping the oldest would drop each
 * one just before it is needed again.
 */
export class SearchTextCache {
  readonly #cached = new Map<string, CachedText>();
  #units = 0;

  get(of: TranscriptFile): readonly TextSlice[] | undefined {
    const cached = this.#cached.get(of.id);
    if (cached && isUnchanged(cached.of, of)) return cached.pieces;
    if (cached) this.#delete(of.id, cached);
    return undefined;
  }

  add(of: TranscriptFile, pieces: readonly TextSlice[]): void {
    const old = this.#cached.get(of.id);
    if (old) this.#delete(of.id, old);
    const units = unitsOf(pieces);
    if (this.#units + units > MAX_CACHED) return;
    this.#units += units;
    this.#cached.set(of.id, { of, pieces });
  }

  clear(): void {
    this.#cached.clear();
    this.#units = 0;
  }

  #delete(id: string, { pieces }: CachedText): void {
    this.#cached.delete(id);
    this.#units -= unitsOf(pieces);
  }
}

/** Same size and time. */
export function isUnchanged(a: TranscriptFile, b: TranscriptFile): boolean {
  return a.size === b.size && a.at === b.at;
}

function unitsOf(pieces: readonly TextSlice[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length * 2, 0);
}
