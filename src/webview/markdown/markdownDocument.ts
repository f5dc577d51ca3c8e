import { highlightWhenIdle } from '../highlighting/highlightWhenIdle';
import type { DocumentContext } from './block';
import { BlockSequence } from './blockSequence';
import { LONG_LINE_LENGTH } from './blockSyntax';
import type { Highlight } from './codeBlock';
import { noDefinitions, toFragment } from './renderFragment';

/**
 * Remaining work: none until more text arrives; another rendering of the open block soon; more work now; or none ever.
 */
export type RenderProgress = 'idle' | 'soon' | 'more' | 'done';

/** Slices of work between two layouts of new groups of blocks, while more text waits. */
const SLICES_PER_REVEAL = 8;

/**
 * The blocks of one text. In a chunk with the parser, so that the page loads first. The block structure depends on
 * whole lines only; the unfinished last line is a temporary preview.
 */
export class MarkdownDocument {
  readonly #context: DocumentContext;
  readonly #root: BlockSequence;
  #pending = '';
  /** Whether a block has already taken the beginning of the current, very long line. */
  #isLineTaken = false;
  /** Number of blocks with references that were rendered again. */
  #resolved = 0;
  /** Slices of work since the last {@link BlockSequence.reveal}. */
  #slices = 0;

  constructor(host: HTMLElement, highlight: Highlight = highlightWhenIdle) {
    this.#context = { definitions: noDefinitions(), highlight, references: [], dirty: undefined, unfinished: [] };
    this.#root = new BlockSequence(host, this.#context, 0);
  }

  /** Takes new text and works until `deadline`, without one to the end; `isEnded` means that no more text follows. */
  work(text: string, isEnded: boolean, deadline: number): RenderProgress {
    const isDue = this.#slices === SLICES_PER_REVEAL && Number.isFinite(deadline);
    let slices = 0;
    try {
      const progress = this.#advance(text, isEnded, isDue ? 0 : deadline);
      if (!isDue && progress === 'more') slices = this.#slices + 1;
      return progress;
    } finally {
      this.#slices = slices;
      if (slices === 0) this.#root.reveal();
    }
  }

  #advance(text: string, isEnded: boolean, deadline: number): RenderProgress {
    this.#root.unpreview();
    this.#pending += text;
    if (!this.#catchUp(deadline) || !this.#lines(deadline)) return 'more';
    if (isEnded) return this.#complete(deadline) ? 'done' : 'more';
    this.#rest();
    if (this.#context.dirty?.render(deadline) === false) return 'more';
    return this.#context.dirty ? 'soon' : 'idle';
  }

  /** Processes whole lines; false when the time is up. */
  #lines(deadline: number): boolean {
    let start = 0;
    let isInTime = true;
    for (let end = this.#pending.indexOf('\n'); end >= 0; end = this.#pending.indexOf('\n', start)) {
      this.#line(this.#pending.slice(start, end));
      start = end + 1;
      isInTime = this.#catchUp(deadline) && performance.now() < deadline;
      if (!isInTime) break;
    }
    this.#pending = this.#pending.slice(start);
    return isInTime;
  }

  /** Renders complete blocks to their end; false when the time is up. */
  #catchUp(deadline: number): boolean {
    const { unfinished } = this.#context;
    for (let block = unfinished[0]; block; block = unfinished[0]) {
      if (block.render(deadline)) unfinished.shift();
      // A block may leave work for the next slice although there is time left.
      else if (Number.isFinite(deadline)) return false;
    }
    return true;
  }

  #line(line: string): void {
    if (this.#isLineTaken) this.#root.more(line);
    else if (line.length < LONG_LINE_LENGTH) this.#root.line(line);
    else {
      this.#root.line(line.slice(0, LONG_LINE_LENGTH));
      this.#root.more(line.slice(LONG_LINE_LENGTH));
    }
    this.#isLineTaken = false;
  }

  /** Previews the beginning of a line; its kind of block may still change, until the line is very long. */
  #rest(): void {
    if (this.#isLineTaken || this.#pending.length > LONG_LINE_LENGTH) {
      if (this.#isLineTaken) this.#root.more(this.#pending);
      else this.#line(this.#pending);
      this.#isLineTaken = true;
      this.#pending = '';
    } else if (this.#pending !== '') this.#root.preview(this.#pending);
  }

  #complete(deadline: number): boolean {
    if (this.#isLineTaken || this.#pending !== '') this.#line(this.#pending);
    this.#pending = '';
    this.#root.seal();
    if (!this.#catchUp(deadline)) return false;
    return Object.keys(this.#context.definitions).length === 0 || this.#resolve(deadline);
  }

  /** Renders blocks again that use definitions of the text; false when the time is up. */
  #resolve(deadline: number): boolean {
    const { references } = this.#context;
    while (this.#resolved < references.length) {
      if (performance.now() >= deadline) return false;
      const block = references[this.#resolved++];
      if (block && this.#refers(block.source)) block.resolve();
    }
    return this.#catchUp(deadline);
  }

  #refers(source: string): boolean {
    for (const [, label = ''] of source.matchAll(/\[([^[\]]+)\]/g)) {
      if (Object.hasOwn(this.#context.definitions, label.trim().toLowerCase().replace(/\s+/g, ' '))) return true;
    }
    return false;
  }
}

/** The browser compiles the patterns of the parser at their second use: half of the time that the first long text would take. */
function warmUp(): void {
  for (let use = 0; use < 2; use++) toFragment('A **b** _c_ `d`, ~~e~~ [f](g).\n- h\n\n> i\n', noDefinitions());
}

requestIdleCallback(warmUp);
