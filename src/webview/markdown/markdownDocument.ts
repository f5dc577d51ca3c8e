import { highlightWhenIdle } from '../highlighting/highlightWhenIdle';
import type { DocumentContext } from './block';
import type { Highlight } from './codeBlock';
import { noDefinitions } from './renderFragment';
import { BlockSequence } from './blockSequence';
import { longLine } from './blockSyntax';

/** What is left to do: nothing until more text comes, a look at the open block before long, the rest of the work, or nothing ever. */
export type Progress = 'idle' | 'soon' | 'more' | 'done';

/**
 * The blocks of one text. In a chunk of its own together with the parser, so that the page is there before it.
 * Block structure depends on whole lines only; the unfinished last line is a preview that is taken away again.
 */
export class MarkdownDocument {
  readonly #context: DocumentContext;
  readonly #root: BlockSequence;
  #pending = '';
  /** Whether a block already has the beginning of the present line, because that line is very long. */
  #taken = false;
  /** How many of the blocks with references have been shown again. */
  #resolved = 0;

  constructor(host: HTMLElement, highlight: Highlight = highlightWhenIdle) {
    this.#context = { definitions: noDefinitions(), highlight, references: [], dirty: undefined };
    this.#root = new BlockSequence(host, this.#context, 0);
  }

  /** Takes text that is new and works until `deadline`; `ended` says that no more text comes. */
  work(text: string, ended: boolean, deadline: number): Progress {
    this.#root.unpreview();
    this.#pending += text;
    if (!this.#lines(deadline)) return 'more';
    if (ended) return this.#complete(deadline) ? 'done' : 'more';
    this.#rest();
    this.#context.dirty?.render();
    return this.#context.dirty ? 'soon' : 'idle';
  }

  /** Works off whole lines; false when time is up. */
  #lines(deadline: number): boolean {
    let start = 0;
    let inTime = true;
    for (let end = this.#pending.indexOf('\n'); end >= 0; end = this.#pending.indexOf('\n', start)) {
      this.#line(this.#pending.slice(start, end));
      start = end + 1;
      inTime = performance.now() < deadline;
      if (!inTime) break;
    }
    this.#pending = this.#pending.slice(start);
    return inTime;
  }

  #line(line: string): void {
    if (this.#taken) this.#root.more(line);
    else if (line.length < longLine) this.#root.line(line);
    else {
      this.#root.line(line.slice(0, longLine));
      this.#root.more(line.slice(longLine));
    }
    this.#taken = false;
  }

  /** The beginning of a line: what kind of block it begins can still change, until it is very long. */
  #rest(): void {
    if (this.#taken || this.#pending.length > longLine) {
      if (this.#taken) this.#root.more(this.#pending);
      else this.#line(this.#pending);
      this.#taken = true;
      this.#pending = '';
    } else if (this.#pending !== '') this.#root.preview(this.#pending);
  }

  #complete(deadline: number): boolean {
    if (this.#taken || this.#pending !== '') this.#line(this.#pending);
    this.#pending = '';
    this.#root.seal();
    return Object.keys(this.#context.definitions).length === 0 || this.#resolve(deadline);
  }

  /** Shows blocks again that use what is defined somewhere in the text; false when time is up. */
  #resolve(deadline: number): boolean {
    const { references } = this.#context;
    while (this.#resolved < references.length) {
      if (performance.now() >= deadline) return false;
      const block = references[this.#resolved++];
      if (block && this.#refers(block.source)) block.resolve();
    }
    return true;
  }

  #refers(source: string): boolean {
    for (const [, label = ''] of source.matchAll(/\[([^[\]]+)\]/g)) {
      if (Object.hasOwn(this.#context.definitions, label.trim().toLowerCase().replace(/\s+/g, ' '))) return true;
    }
    return false;
  }
}
