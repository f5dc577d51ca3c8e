import { access, rm } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { fold } from '../../base/text';
import { entriesFrom } from '../../shared/entries';
import type { Entry, SessionState } from '../../shared/state';
import { emptySession } from '../../shared/state';
import type { CatalogItem } from '../catalogItems';
import { searchFile } from '../shelf';
import type { TranscriptFile } from '../transcript';
import { applied, listTranscripts, transcriptActions, transcriptFile } from '../transcript';
import { entryText } from './entryText';
import type { Grams } from './grams';
import { GramCollector, mayHold } from './grams';
import type { Query } from './query';
import { goesWith, titleScore } from './query';
import type { Hit } from './scan';
import { scan } from './scan';
import { lineOf, readBody, readGrams, writeSidecar } from './sidecar';

/** A session in which something was found. */
export interface Found {
  readonly item: CatalogItem;
  /** How well the title goes with the words; 0: not at all. */
  readonly score: number;
  /** The first lines with the words. */
  readonly hits: readonly Hit[];
  /** There are more lines than these. */
  readonly more: boolean;
}

/** Where a search stands. */
export interface Progress {
  readonly found: readonly Found[];
  /** Sessions that had to be read for the first time, of how many there are; only while that goes on. */
  readonly reading?: { readonly done: number; readonly of: number };
}

export interface SearchOptions {
  /** All sessions, newest first. */
  items(): readonly CatalogItem[];
  /** What was said in a session that is open. */
  open(id: string): SessionState | undefined;
  /** Of the transcripts: absolute. */
  readonly folder: string;
  readonly log: Log;
}

/** Milliseconds of work in one go; then other work of the process has its turn. */
const SLICE = 8;
/** Sessions that are shown, and lines of each. */
const MOST_FOUND = 60;
const MOST_HITS = 3;
/** Milliseconds between two reports. */
const REPORT = 60;
/** UTF-16 units of bodies that stay in memory while a person types. */
const KEPT = 16_000_000;

/**
 * Looks for words in all sessions, newest first. What is open is looked at as it is in memory; of the others a small set of letter
 * triples says in which a word cannot be, and the rest is read. Works in slices, so that the process does other things meanwhile.
 */
export class SessionSearch {
  readonly #options: SearchOptions;
  readonly #grams = new Map<string, { readonly of: TranscriptFile; readonly grams: Grams }>();
  readonly #bodies = new Map<string, { readonly of: TranscriptFile; readonly body: string }>();
  /** Of entries of open sessions; an entry that changes is another object. */
  readonly #lines = new WeakMap<Entry, string>();
  #keptUnits = 0;
  #sliceEnd = 0;
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
   * Titles come first, by how well they go with the words; then the newest sessions.
   */
  async search(query: Query, signal: AbortSignal, report: (progress: Progress) => void): Promise<readonly Found[]> {
    const items = this.#options.items().filter((item) => goesWith(query, item));
    const titles = new Map(items.map((item) => [item.id, titleScore(item.title, query.words)]));
    const collected = new Collected(titles, items);
    report({ found: collected.sorted() });
    if (query.words.length > 0) await this.#searchText(items, query.words, collected, signal, report);
    return collected.sorted();
  }

  async #searchText(
    items: readonly CatalogItem[],
    words: readonly string[],
    collected: Collected,
    signal: AbortSignal,
    report: (progress: Progress) => void,
  ): Promise<void> {
    const files = new Map((await listTranscripts(this.#options.folder)).map((file) => [file.id, file]));
    const ours = items.filter(({ isOurs }) => isOurs);
    let told = performance.now();
    const reading = { now: false };
    this.#sliceEnd = told + SLICE;
    for (const [at, item] of ours.entries()) {
      if (signal.aborted || collected.isFull) return;
      // One after the other: the newest are told first, and a search that is over costs nothing more.
      // oxlint-disable-next-line no-await-in-loop
      const body = await this.#body(item.id, files.get(item.id), words, signal, () => (reading.now = true));
      if (body !== undefined) collected.add(item, scan(body, words, MOST_HITS));
      if (this.#isDue) await this.#pause();
      if (performance.now() - told < REPORT || signal.aborted) continue;
      told = performance.now();
      report({ found: collected.sorted(), ...(reading.now && { reading: { done: at + 1, of: ours.length } }) });
    }
  }

  /** The words of a session, when all that are looked for may be in it. */
  async #body(
    id: string,
    file: TranscriptFile | undefined,
    words: readonly string[],
    signal: AbortSignal,
    onRead: () => void,
  ): Promise<string | undefined> {
    const open = this.#options.open(id);
    if (open) return (await this.#linesOf(open, signal)).join('');
    if (!file) return undefined;
    try {
      const grams = (await this.#gramsOf(file)) ?? (await this.#read(file, signal, onRead));
      if (!grams || !words.every((word) => mayHold(grams, word))) return undefined;
      return await this.#bodyOf(file);
    } catch (error) {
      this.#options.log.info('session', `Search left out transcript ${id}: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #gramsOf(file: TranscriptFile): Promise<Grams | undefined> {
    const known = this.#grams.get(file.id);
    if (known && isSame(known.of, file)) return known.grams;
    const grams = await readGrams(searchFile(this.#options.folder, file.id), file);
    if (grams) this.#grams.set(file.id, { of: file, grams });
    return grams;
  }

  async #bodyOf(file: TranscriptFile): Promise<string | undefined> {
    const kept = this.#bodies.get(file.id);
    if (kept && isSame(kept.of, file)) return kept.body;
    const body = await readBody(searchFile(this.#options.folder, file.id));
    if (body !== undefined) this.#keep(file, body);
    return body;
  }

  #keep(of: TranscriptFile, body: string): void {
    this.#keptUnits += body.length - (this.#bodies.get(of.id)?.body.length ?? 0);
    this.#bodies.set(of.id, { of, body });
    for (const [id, oldest] of this.#bodies) {
      if (this.#keptUnits <= KEPT) return;
      this.#bodies.delete(id);
      this.#keptUnits -= oldest.body.length;
    }
  }

  /** Reads a transcript for the first time, or again after it has changed, and keeps what search needs of it. */
  async #read(file: TranscriptFile, signal: AbortSignal, onRead: () => void): Promise<Grams | undefined> {
    onRead();
    let state = emptySession(file.id);
    for await (const actions of transcriptActions(this.#options.folder, file.id)) {
      for (const action of actions) {
        state = applied(state, action);
        if (this.#isDue) await this.#pause();
      }
      if (signal.aborted) return undefined;
    }
    const lines = await this.#linesOf(state, signal);
    if (signal.aborted) return undefined;
    const collector = new GramCollector();
    for (const line of lines) {
      collector.add(fold(line));
      if (this.#isDue) await this.#pause();
    }
    const { grams } = collector;
    const body = lines.join('');
    this.#grams.set(file.id, { of: file, grams });
    this.#keep(file, body);
    await this.#write(file, grams, body);
    return grams;
  }

  async #write(file: TranscriptFile, grams: Grams, body: string): Promise<void> {
    try {
      const beside = searchFile(this.#options.folder, file.id);
      await writeSidecar(beside, file, grams, body);
      // Deleted meanwhile: nothing that was said in it stays on disk.
      if (!(await isThere(transcriptFile(this.#options.folder, file.id)))) await rm(beside, { force: true });
    } catch (error) {
      // Search works without; it only has to read more the next time.
      if (!this.#toldOfDisk) this.#options.log.warn('session', `What search needs is not kept: ${messageOf(error)}`);
      this.#toldOfDisk = true;
    }
  }

  async #linesOf(state: SessionState, signal: AbortSignal): Promise<string[]> {
    const lines: string[] = [];
    for (const [index, entry] of entriesFrom(state.entries)) {
      lines.push(this.#line(index, entry, state));
      if (this.#isDue) await this.#pause();
      if (signal.aborted) break;
    }
    return lines;
  }

  #line(index: number, entry: Entry, { terminals }: SessionState): string {
    const make = (): string => lineOf({ entry: index, kind: entry.kind, text: entryText(entry, terminals) });
    // The output of a command is not in the entry that shows it.
    if (entry.kind === 'tool' && entry.content.some(({ type }) => type === 'terminal')) return make();
    const line = this.#lines.get(entry) ?? make();
    this.#lines.set(entry, line);
    return line;
  }

  get #isDue(): boolean {
    return performance.now() > this.#sliceEnd;
  }

  async #pause(): Promise<void> {
    await turn();
    this.#sliceEnd = performance.now() + SLICE;
  }
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function isSame(a: TranscriptFile, b: TranscriptFile): boolean {
  return a.size === b.size && a.at === b.at;
}

/** What a search has found so far. */
class Collected {
  readonly #titles: ReadonlyMap<string, number>;
  readonly #found = new Map<string, Found>();
  #withHits = 0;

  constructor(titles: ReadonlyMap<string, number>, items: readonly CatalogItem[]) {
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

  add(item: CatalogItem, { hits, isAll }: { readonly hits: readonly Hit[]; readonly isAll: boolean }): void {
    if (hits.length === 0) return;
    this.#withHits++;
    this.#found.set(item.id, { item, score: this.#titles.get(item.id) ?? 0, hits, more: !isAll });
  }

  /** Titles first; sessions come newest first, so that order stays among the rest. */
  sorted(): Found[] {
    return Array.from(this.#found.values()).toSorted(
      (a, b) => b.score - a.score || b.item.updatedAt - a.item.updatedAt,
    );
  }
}
