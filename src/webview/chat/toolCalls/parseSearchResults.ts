import { t } from '../../../base/l10n';
import { parseFileReference } from '../../../shared/text/fileReferences';

/** `line` and `column` are 1-based. */
export interface SearchMatch {
  readonly line: number;
  readonly column?: number;
  readonly text: string;
  /** A context line of a match. */
  readonly isContext?: boolean;
}

/** A file with its matches; without matches only the file was found. */
export interface FoundFile {
  readonly path: string;
  readonly hits: readonly SearchMatch[];
}

export interface SearchResults {
  readonly files: readonly FoundFile[];
  /** Matching lines, or files for a file search. */
  readonly count: number;
  /** Other lines such as "Found 3 files", "(truncated)". */
  readonly notes: readonly string[];
}

/** UTF-16 units; longer output is shown as text. */
const MAX_LENGTH = 2_000_000;

/** `path:12:text`, `path:12:5:text`; a colon in a path only after a drive letter. */
const HIT = /^((?:[A-Za-z]:)?[^:\0]{1,400}):(\d{1,7}):(?:(\d{1,5}):)?(.*)$/;
/** `path-12-text`: a context line of grep and ripgrep. */
const CONTEXT = /^(.{1,400}?)-(\d{1,7})-(.*)$/;
/** `12:text`, `  Line 12: text` below a file name. */
const BELOW = /^\s*(?:Line )?(\d{1,7})([:-])\s?(.*)$/;

/**
 * Parses output of grep and ripgrep with or without headings, file lists, and agents' own forms. Undefined when most lines are something
 * else. Pure.
 */
export function searchResults(text: string): SearchResults | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const parser = new SearchOutputParser();
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  for (const line of lines) parser.line(line);
  const results = parser.results();
  const isMostly = lines.length > 0 && results.notes.length * 3 <= lines.length + 3;
  return results.files.length > 0 && isMostly ? results : undefined;
}

class SearchOutputParser {
  readonly #files = new Map<string, SearchMatch[]>();
  readonly #notes: string[] = [];
  #current: string | undefined;

  line(line: string): void {
    const hit = HIT.exec(line);
    if (hit?.[1] !== undefined && isPath(hit[1])) return this.#hit(hit[1], hit[2], hit[3], hit[4]);
    const below = this.#current === undefined ? null : BELOW.exec(line);
    if (below && this.#current !== undefined) return this.#below(this.#current, below);
    const context = CONTEXT.exec(line);
    if (context?.[1] !== undefined && this.#files.has(context[1])) {
      this.#add(context[1], { line: Number(context[2]), text: context[3] ?? '', isContext: true });
      return;
    }
    if (line !== '--') this.#heading(line);
  }

  results(): SearchResults {
    const files = [...this.#files].map(([path, hits]) => ({ path, hits }));
    const hits = files.flatMap((file) => file.hits).filter(({ isContext }) => isContext !== true).length;
    return { files, count: hits > 0 ? hits : files.length, notes: this.#notes };
  }

  #hit(path: string, line: string | undefined, column: string | undefined, text: string | undefined): void {
    this.#current = undefined;
    this.#add(path, { line: Number(line), ...(column !== undefined && { column: Number(column) }), text: text ?? '' });
  }

  #below(path: string, [, line, sign, text]: RegExpExecArray): void {
    this.#add(path, { line: Number(line), text: text ?? '', ...(sign === '-' && { isContext: true }) });
  }

  #heading(line: string): void {
    const name = line.trim().replace(/:$/, '');
    if (!isPath(name)) {
      this.#notes.push(line.trim());
      return;
    }
    this.#current = name;
    if (!this.#files.has(name)) this.#files.set(name, []);
  }

  #add(path: string, hit: SearchMatch): void {
    const hits = this.#files.get(path) ?? [];
    if (hits.length === 0) this.#files.set(path, hits);
    hits.push(hit);
  }
}

/** Paths with spaces need a slash. */
function isPath(text: string): boolean {
  const word = text.includes('/') || text.includes('\\') ? text.replaceAll(' ', '_') : text;
  const reference = parseFileReference(word);
  return reference !== undefined && reference.line === undefined && !/[\\/]$/.test(word);
}

/** "7 results in 4 files" */
export function searchSummary({ count, files }: SearchResults): string {
  if (files.every(({ hits }) => hits.length === 0)) return count === 1 ? t('1 file') : t('{0} files', count);
  if (count === 1) return t('1 result');
  return files.length === 1 ? t('{0} results in 1 file', count) : t('{0} results in {1} files', count, files.length);
}
