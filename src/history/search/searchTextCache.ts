import type { TranscriptFile } from '../transcriptFile';
import type { TextChunk } from './scanText';

/** Maximum UTF-16 units of the texts cached while a user types; their case-folded forms take as many again. */
const MAX_CACHED = 20_000_000;

interface CachedText {
  readonly of: TranscriptFile;
  readonly chunks: readonly TextChunk[];
}

/**
 * Bodies in memory. Searches start with the newest sessions, so a full cache keeps its first entries: dropping the oldest would drop each
 * one just before it is needed again.
 */
export class SearchTextCache {
  readonly #cached = new Map<string, CachedText>();
  #units = 0;

  get(of: TranscriptFile): readonly TextChunk[] | undefined {
    const cached = this.#cached.get(of.id);
    if (cached && isUnchanged(cached.of, of)) return cached.chunks;
    if (cached) this.#delete(of.id, cached);
    return undefined;
  }

  add(of: TranscriptFile, chunks: readonly TextChunk[]): void {
    const old = this.#cached.get(of.id);
    if (old) this.#delete(of.id, old);
    const units = unitsOf(chunks);
    if (this.#units + units > MAX_CACHED) return;
    this.#units += units;
    this.#cached.set(of.id, { of, chunks });
  }

  clear(): void {
    this.#cached.clear();
    this.#units = 0;
  }

  #delete(id: string, { chunks }: CachedText): void {
    this.#cached.delete(id);
    this.#units -= unitsOf(chunks);
  }
}

/** Same size and time. */
export function isUnchanged(a: TranscriptFile, b: TranscriptFile): boolean {
  return a.size === b.size && a.at === b.at;
}

function unitsOf(chunks: readonly TextChunk[]): number {
  return chunks.reduce((sum, { text }) => sum + text.length * 2, 0);
}
