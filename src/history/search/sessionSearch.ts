import { access, rm } from 'node:fs/promises';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { entriesFrom } from '../../shared/state/entryPages';
import type { Entry, SessionState } from '../../shared/state/sessionState';
import type { SessionListItem } from '../sessionSummary';
import { searchIndexPath } from '../sessionStore';
import type { TranscriptFile } from '../transcriptFile';
import { listTranscripts, transcriptFile } from '../transcriptFile';
import { SearchTextCache, isUnchanged } from './searchTextCache';
import type { TrigramSet } from './trigrams';
import { mayContain } from './trigrams';
import type { Query } from './searchQuery';
import { matchesFilters, titleScore } from './searchQuery';
import { entryLine, readForSearch } from './readSearchText';
import type { LineMatch, LineMatches, TextSlice } from './scanText';
import { pieceOf, scanBody } from './scanText';
import { readBody, readGrams, writeSidecar } from './searchIndexFile';
import { TimeSlicer } from './timeSlicer';

/** A session in which something was found. */
export interface SearchResult {
  readonly item: SessionListItem;
  /** How well the title goes with the words; 0: not at all. */
  readonly score: number;
  /** The first lines with the words. */
  readonly hits: readonly LineMatch[];
  /** There are more lines than these. */
  readonly more: boolean;
}

/** Where a search stands. */
export interface SearchProgress {
  readonly found: readonly SearchResult[];
  /** Sessions that had to be read for the first time, of how many there are; only while that goes on. */
  readonly reading?: { readonly done: number; readonly of: number };
}

export interface SearchOptions {
  /** All sessions, newest first. */
  items(): readonly SessionListItem[];
  /** What was said in a session that is open. */
  open(id: string): SessionState | undefined;
  /** Of the transcripts: absolute. */
  readonly folder: string;
  readonly log: Logger;
}

/** Sessions that are shown, and lines of each. */
const MOST_FOUND = 60;
const MOST_HITS = 3;
/** Milliseconds between two reports. */
const REPORT = 60;
/** Milliseconds in which a list of the transcripts is good enough for the next letter. */
const LISTED = 1_000;

type Files = ReadonlyMap<string, TranscriptFile>;

/** One search on its way. */
interface Run {
  readonly words: readonly string[];
  readonly files: Files;
  readonly signal: AbortSignal;
  readonly slices: TimeSlicer;
  /** A transcript had to be read for the first time. */
  isReading: boolean;
}

/**
 * Looks for words in all sessions, newest first. What is open is looked at as it is in memory; of the others a small set of letter
 * triples says in which a word cannot be, and the rest is read. Works in slices, so that the process does other things meanwhile.
 */
export class SessionSearch {
  readonly #options: SearchOptions;
  readonly #grams = new Map<string, { readonly of: TranscriptFile; readonly grams: TrigramSet }>();
  readonly #bodies = new SearchTextCache();
  /** Of entries of open sessions; an entry that changes is another object. */
  readonly #open = new WeakMap<Entry, TextSlice>();
  #listed: { readonly at: number; readonly files: Promise<Files> } | undefined;
  #toldOfDisk = false;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** Bytes of the sets that are in memory. */
  get gramBytes(): number {
    return Array.from(this.#grams.values()).reduce((sum, { grams }) => sum + grams.length, 0);
  }

  /**
   * Reports what was found so far, more than once, and in the end resolves with all of it. Stops when the signal says so.
   * Titles come first, by how well they go with the words; then the newest sessions. Without words nothing more is found, but what was
   * never read is read meanwhile, so that the first letter finds it done.
   */
  async search(
    query: Query,
    signal: AbortSignal,
    report: (progress: SearchProgress) => void,
  ): Promise<readonly SearchResult[]> {
    const items = this.#options.items().filter((item) => matchesFilters(query, item));
    const titles = new Map(items.map((item) => [item.id, titleScore(item.title, query.words)]));
    const collected = new Collected(titles, items);
    report({ found: collected.sorted() });
    await this.#searchText(items, query.words, collected, signal, report);
    return collected.sorted();
  }

  /** Nobody searches for a while: what only makes the next letter faster is dropped. */
  rest(): void {
    this.#bodies.clear();
    this.#listed = undefined;
  }

  async #searchText(
    items: readonly SessionListItem[],
    words: readonly string[],
    collected: Collected,
    signal: AbortSignal,
    report: (progress: SearchProgress) => void,
  ): Promise<void> {
    const slices = new TimeSlicer();
    const run: Run = { words, files: await this.#files(), signal, slices, isReading: false };
    const ours = items.filter(({ isOurs }) => isOurs);
    let told = performance.now();
    for (const [at, item] of ours.entries()) {
      if (signal.aborted || collected.isFull) return;
      // One after the other: the newest are told first, and a search that is over costs nothing more.
      // oxlint-disable-next-line no-await-in-loop
      const body = await this.#body(item.id, run);
      if (body && words.length > 0) collected.add(item, await scanBody(body, words, MOST_HITS, slices));
      if (slices.isDue) await slices.pause();
      if (performance.now() - told < REPORT || signal.aborted) continue;
      told = performance.now();
      report({ found: collected.sorted(), ...(run.isReading && { reading: { done: at + 1, of: ours.length } }) });
    }
  }

  /** To look at a thousand files takes longer than to search them: while a user types that is not done for every letter. */
  #files(): Promise<Files> {
    const now = performance.now();
    if (this.#listed && now - this.#listed.at < LISTED) return this.#listed.files;
    const files = listTranscripts(this.#options.folder).then((list) => new Map(list.map((file) => [file.id, file])));
    this.#listed = { at: now, files };
    return files;
  }

  /** The words of a session, when all that are looked for may be in it. */
  async #body(id: string, run: Run): Promise<Iterable<TextSlice> | undefined> {
    const open = this.#options.open(id);
    if (open) return run.words.length > 0 ? this.#openPieces(open) : undefined;
    const file = run.files.get(id);
    if (!file) return undefined;
    try {
      const known = await this.#gramsOf(file);
      const read = known ? undefined : await this.#read(file, run);
      const grams = known ?? read?.grams;
      if (!grams || run.words.length === 0 || !run.words.every((word) => mayContain(grams, word))) return undefined;
      // Where nothing can be kept on disk it is read again.
      return read?.pieces ?? (await this.#bodyOf(file, run)) ?? (await this.#read(file, run))?.pieces;
    } catch (error) {
      this.#options.log.info('session', `Search left out transcript ${id}: ${errorMessage(error)}`);
      return undefined;
    }
  }

  async #gramsOf(file: TranscriptFile): Promise<TrigramSet | undefined> {
    const known = this.#grams.get(file.id);
    if (known && isUnchanged(known.of, file)) return known.grams;
    const grams = await readGrams(searchIndexPath(this.#options.folder, file.id), file);
    if (grams) this.#grams.set(file.id, { of: file, grams });
    return grams;
  }

  async #bodyOf(file: TranscriptFile, { slices }: Run): Promise<readonly TextSlice[] | undefined> {
    const kept = this.#bodies.get(file);
    if (kept) return kept;
    const texts = await readBody(searchIndexPath(this.#options.folder, file.id));
    if (!texts) return undefined;
    const pieces: TextSlice[] = [];
    for (const text of texts) {
      pieces.push(pieceOf(text));
      // oxlint-disable-next-line no-await-in-loop
      if (slices.isDue) await slices.pause();
    }
    this.#bodies.keep(file, pieces);
    return pieces;
  }

  /** Reads a transcript for the first time, or again after it has changed, and keeps what search needs of it. */
  async #read(file: TranscriptFile, run: Run): ReturnType<typeof readForSearch> {
    run.isReading = true;
    const read = await readForSearch(this.#options.folder, file.id, run);
    if (!read) return undefined;
    const { grams, pieces } = read;
    this.#grams.set(file.id, { of: file, grams });
    this.#bodies.keep(file, pieces);
    await this.#write(file, grams, pieces);
    return read;
  }

  async #write(file: TranscriptFile, grams: TrigramSet, pieces: readonly TextSlice[]): Promise<void> {
    try {
      const beside = searchIndexPath(this.#options.folder, file.id);
      const texts = pieces.map(({ text }) => text);
      await writeSidecar(beside, file, grams, texts);
      // Deleted meanwhile: nothing that was said in it stays on disk.
      if (!(await isThere(transcriptFile(this.#options.folder, file.id)))) await rm(beside, { force: true });
    } catch (error) {
      // Search works without; it only has to read more the next time.
      if (!this.#toldOfDisk) this.#options.log.warn('session', `What search needs is not kept: ${errorMessage(error)}`);
      this.#toldOfDisk = true;
    }
  }

  *#openPieces(state: SessionState): Generator<TextSlice> {
    for (const [index, entry] of entriesFrom(state.entries)) {
      // The output of a command is not in the entry that shows it.
      const changes = entry.kind === 'tool' && entry.content.some(({ type }) => type === 'terminal');
      const piece = (changes ? undefined : this.#open.get(entry)) ?? pieceOf(entryLine(index, entry, state));
      this.#open.set(entry, piece);
      yield piece;
    }
  }
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** What a search has found so far. */
class Collected {
  readonly #titles: ReadonlyMap<string, number>;
  readonly #found = new Map<string, SearchResult>();
  #withHits = 0;

  constructor(titles: ReadonlyMap<string, number>, items: readonly SessionListItem[]) {
    this.#titles = titles;
    for (const item of items) {
      const score = titles.get(item.id) ?? 0;
      if (score > 0) this.#found.set(item.id, { item, score, hits: [], more: false });
      if (this.#found.size === MOST_FOUND) break;
    }
  }

  get isFull(): boolean {
    return this.#withHits >= MOST_FOUND;
  }

  add(item: SessionListItem, { hits, isAll }: LineMatches): void {
    if (hits.length === 0) return;
    this.#withHits++;
    this.#found.set(item.id, { item, score: this.#titles.get(item.id) ?? 0, hits, more: !isAll });
  }

  /** Titles first; sessions come newest first, so that order stays among the rest. */
  sorted(): SearchResult[] {
    return Array.from(this.#found.values()).toSorted(
      (a, b) => b.score - a.score || b.item.updatedAt - a.item.updatedAt,
    );
  }
}
