import { access, rm } from 'node:fs/promises';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { entriesFrom } from '../../shared/state/entryPages';
import type { Entry, SessionState } from '../../shared/state/sessionState';
import { emptySession } from '../../shared/state/sessionState';
import { entrySearchText } from '../../shared/text/entrySearchText';
import { searchIndexPath } from '../sessionStore';
import type { SessionListItem } from '../sessionSummary';
import type { TranscriptFile } from '../transcriptFile';
import { listTranscripts, transcriptFile, applyStored, transcriptActions } from '../transcriptFile';
import type { LineMatch, LineMatches, TextChunk } from './scanText';
import { toChunk, scanBody } from './scanText';
import { readIndexBody, readGrams, writeSidecar, searchIndexLine } from './searchIndexFile';
import type { Query } from './searchQuery';
import { matchesFilters, titleScore } from './searchQuery';
import { TimeSlicer } from './timeSlicer';
import type { TrigramSet } from './trigrams';
import { mayContain, TrigramBuilder } from './trigrams';

export interface SearchResult {
  readonly item: SessionListItem;
  /** Match score of the title; 0 for none. */
  readonly score: number;
  /** The first matching lines. */
  readonly hits: readonly LineMatch[];
  /** Whether more lines match. */
  readonly hasMore: boolean;
}

export interface SearchProgress {
  readonly found: readonly SearchResult[];
  /** Progress while sessions are indexed for the first time; undefined afterwards. */
  readonly reading?: { readonly done: number; readonly of: number };
}

/** Limits of a result: sessions, and lines of each. */
const MAX_FOUND = 60;
const MAX_HITS = 3;
/** Milliseconds between two reports. */
const REPORT_INTERVAL_MS = 60;
/** Milliseconds for which a list of transcripts is reused. */
const FILE_LIST_TTL_MS = 1_000;

type Files = ReadonlyMap<string, TranscriptFile>;

interface Run {
  readonly words: readonly string[];
  readonly files: Files;
  readonly signal: AbortSignal;
  readonly slices: TimeSlicer;
  /** A transcript is indexed for the first time. */
  isReading: boolean;
}

/**
 * Full-text search over all sessions, newest first. Open sessions are searched in memory; for others trigrams exclude those without the
 * words, and the rest is read. Yields to other work in between.
 */
export class SessionSearch {
  readonly #trigrams = new Map<string, { readonly of: TranscriptFile; readonly trigrams: TrigramSet }>();
  readonly #bodies = new SearchTextCache();
  /** By entry of open sessions; a changed entry is another object. */
  readonly #open = new WeakMap<Entry, TextChunk>();
  #listed: { readonly at: number; readonly files: Promise<Files> } | undefined;
  #hasWarned = false;

  /**
   * @param items newest first
   * @param open the state of an open session
   * @param folder absolute; of the transcripts
   */
  constructor(
    private readonly items: () => readonly SessionListItem[],
    private readonly open: (id: string) => SessionState | undefined,
    private readonly folder: string,
    private readonly log: Logger,
  ) {}

  get gramBytes(): number {
    return Array.from(this.#trigrams.values()).reduce((sum, { trigrams }) => sum + trigrams.length, 0);
  }

  /**
   * Reports results repeatedly, and resolves with all; stops on abort. Title matches come first by score, then the newest sessions. A
   * query without words only indexes new transcripts, before the user types.
   */
  async search(
    query: Query,
    signal: AbortSignal,
    report: (progress: SearchProgress) => void,
  ): Promise<readonly SearchResult[]> {
    const items = this.items().filter((item) => matchesFilters(query, item));
    const titles = new Map(items.map((item) => [item.id, titleScore(item.title, query.words)]));
    const results = new SearchResults(titles, items);
    report({ found: results.toSortedResults() });
    await this.#searchText(items, query.words, results, signal, report);
    return results.toSortedResults();
  }

  /** Frees caches after a pause in searching. */
  rest(): void {
    this.#bodies.clear();
    this.#listed = undefined;
  }

  async #searchText(
    items: readonly SessionListItem[],
    words: readonly string[],
    collected: SearchResults,
    signal: AbortSignal,
    report: (progress: SearchProgress) => void,
  ): Promise<void> {
    const slices = new TimeSlicer();
    const run: Run = { words, files: await this.#files(), signal, slices, isReading: false };
    const ours = items.filter(({ isOurs }) => isOurs);
    let reportedAt = performance.now();
    for (const [at, item] of ours.entries()) {
      if (signal.aborted || collected.isFull) return;
      // One after the other: results of the newest come first, and a canceled search stops here.
      const body = await this.#body(item.id, run);
      if (body && words.length > 0) collected.add(item, await scanBody(body, words, MAX_HITS, slices));
      if (slices.isDue) await slices.pause();
      if (performance.now() - reportedAt < REPORT_INTERVAL_MS || signal.aborted) continue;
      reportedAt = performance.now();
      report({
        found: collected.toSortedResults(),
        ...(run.isReading && { reading: { done: at + 1, of: ours.length } }),
      });
    }
  }

  /** Listing a thousand files takes longer than searching them, so the list is reused while typing. */
  #files(): Promise<Files> {
    const now = performance.now();
    if (this.#listed && now - this.#listed.at < FILE_LIST_TTL_MS) return this.#listed.files;
    const files = listTranscripts(this.folder).then((list) => new Map(list.map((file) => [file.id, file])));
    this.#listed = { at: now, files };
    return files;
  }

  /** The text of a session, unless trigrams exclude a word. */
  async #body(id: string, run: Run): Promise<Iterable<TextChunk> | undefined> {
    const open = this.open(id);
    if (open) return run.words.length > 0 ? this.#openChunks(open) : undefined;
    const file = run.files.get(id);
    if (!file) return undefined;
    try {
      const cached = await this.#gramsOf(file);
      const read = cached ? undefined : await this.#read(file, run);
      const trigrams = cached ?? read?.trigrams;
      if (!trigrams || run.words.length === 0 || !run.words.every((word) => mayContain(trigrams, word)))
        return undefined;
      // Reads the transcript again where nothing can be stored on disk.
      return read?.chunks ?? (await this.#bodyOf(file, run)) ?? (await this.#read(file, run))?.chunks;
    } catch (error) {
      this.log.info('session', `Skipped transcript ${id} in a search: ${errorMessage(error)}`);
      return undefined;
    }
  }

  async #gramsOf(file: TranscriptFile): Promise<TrigramSet | undefined> {
    const cached = this.#trigrams.get(file.id);
    if (cached && isUnchanged(cached.of, file)) return cached.trigrams;
    const trigrams = await readGrams(searchIndexPath(this.folder, file.id), file);
    if (trigrams) this.#trigrams.set(file.id, { of: file, trigrams });
    return trigrams;
  }

  async #bodyOf(file: TranscriptFile, { slices }: Run): Promise<readonly TextChunk[] | undefined> {
    const cached = this.#bodies.get(file);
    if (cached) return cached;
    const texts = await readIndexBody(searchIndexPath(this.folder, file.id));
    if (!texts) return undefined;
    const chunks: TextChunk[] = [];
    for (const text of texts) {
      chunks.push(toChunk(text));
      if (slices.isDue) await slices.pause();
    }
    this.#bodies.add(file, chunks);
    return chunks;
  }

  /** Indexes a new or changed transcript. */
  async #read(file: TranscriptFile, run: Run): ReturnType<typeof readForSearch> {
    run.isReading = true;
    const read = await readForSearch(this.folder, file.id, run.signal, run.slices);
    if (!read) return undefined;
    const { trigrams, chunks } = read;
    this.#trigrams.set(file.id, { of: file, trigrams });
    this.#bodies.add(file, chunks);
    await this.#write(file, trigrams, chunks);
    return read;
  }

  async #write(file: TranscriptFile, trigrams: TrigramSet, chunks: readonly TextChunk[]): Promise<void> {
    try {
      const beside = searchIndexPath(this.folder, file.id);
      const texts = chunks.map(({ text }) => text);
      await writeSidecar(beside, file, trigrams, texts);
      // Deleted meanwhile: its text must not stay on disk.
      if (!(await isThere(transcriptFile(this.folder, file.id)))) await rm(beside, { force: true });
    } catch (error) {
      // Search still works, but must read more the next time.
      if (!this.#hasWarned) this.log.warn('session', `Failed to store search data: ${errorMessage(error)}`);
      this.#hasWarned = true;
    }
  }

  *#openChunks(state: SessionState): Generator<TextChunk> {
    for (const [index, entry] of entriesFrom(state.entries)) {
      // A command's output is not part of its entry.
      const canChange = entry.kind === 'tool' && entry.content.some(({ type }) => type === 'terminal');
      const chunk = (canChange ? undefined : this.#open.get(entry)) ?? toChunk(entryLine(index, entry, state));
      this.#open.set(entry, chunk);
      yield chunk;
    }
  }
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Results so far. */
class SearchResults {
  readonly #found = new Map<string, SearchResult>();
  #withHits = 0;

  constructor(
    private readonly titles: ReadonlyMap<string, number>,
    items: readonly SessionListItem[],
  ) {
    for (const item of items) {
      const score = titles.get(item.id) ?? 0;
      if (score > 0) this.#found.set(item.id, { item, score, hits: [], hasMore: false });
      if (this.#found.size === MAX_FOUND) break;
    }
  }

  get isFull(): boolean {
    return this.#withHits >= MAX_FOUND;
  }

  add(item: SessionListItem, { hits, isAll }: LineMatches): void {
    if (hits.length === 0) return;
    this.#withHits++;
    this.#found.set(item.id, { item, score: this.titles.get(item.id) ?? 0, hits, hasMore: !isAll });
  }

  /** Title matches first; others keep their order, newest first. */
  toSortedResults(): SearchResult[] {
    return Array.from(this.#found.values()).toSorted(
      (a, b) => b.score - a.score || b.item.updatedAt - a.item.updatedAt,
    );
  }
}

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
function isUnchanged(a: TranscriptFile, b: TranscriptFile): boolean {
  return a.size === b.size && a.at === b.at;
}

function unitsOf(chunks: readonly TextChunk[]): number {
  return chunks.reduce((sum, { text }) => sum + text.length * 2, 0);
}

/** UTF-16 units of a chunk, except for the last line. */
const CHUNK_CHARS = 131_072;

/**
 * Reads search data from the transcript itself; undefined when aborted.
 * @throws ParleyError `badInput` when a newer version wrote it
 */
async function readForSearch(
  folder: string,
  id: string,
  signal: AbortSignal,
  slices: TimeSlicer,
): Promise<{ readonly trigrams: TrigramSet; readonly chunks: readonly TextChunk[] } | undefined> {
  const state = await stateOf(folder, id, signal, slices);
  const collector = new TrigramBuilder();
  const chunks: TextChunk[] = [];
  for (const text of state ? textChunks(state) : []) {
    const chunk = toChunk(text);
    collector.add(chunk.folded);
    chunks.push(chunk);
    if (slices.isDue) await slices.pause();
    if (signal.aborted) return undefined;
  }
  return state && { trigrams: collector.trigrams, chunks };
}

function entryLine(index: number, entry: Entry, { terminals }: SessionState): string {
  return searchIndexLine({ entry: index, kind: entry.kind, text: entrySearchText(entry, terminals) });
}

async function stateOf(
  folder: string,
  id: string,
  signal: AbortSignal,
  slices: TimeSlicer,
): Promise<SessionState | undefined> {
  let state = emptySession(id);
  for await (const actions of transcriptActions(folder, id)) {
    for (const action of actions) {
      state = applyStored(state, action);
      if (slices.isDue) await slices.pause();
    }
    if (signal.aborted) return undefined;
  }
  return state;
}

/** The lines of all entries in chunks. */
function* textChunks(state: SessionState): Generator<string> {
  let stretch = '';
  for (const [index, entry] of entriesFrom(state.entries)) {
    stretch += entryLine(index, entry, state);
    if (stretch.length < CHUNK_CHARS) continue;
    yield stretch;
    stretch = '';
  }
  if (stretch !== '') yield stretch;
}
