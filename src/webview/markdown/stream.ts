import { deferred } from '../../base/async';
import type { DocumentContext } from './block';
import type { Highlight } from './codeBlock';
import { highlightWhenIdle } from '../code/highlight';
import { nextFrame, slice } from './frame';
import { noDefinitions } from './fragment';
import { Sequence } from './sequence';
import { longLine } from './syntax';
import { LineEnds } from './text';

/** At the end of a text so much work is done at once, in milliseconds; the rest goes on in slices. */
const finishTime = 16;
export interface MarkdownOptions {
  /** Colours a complete code block; the default does so when the page is idle. */
  readonly highlight?: Highlight;
}

/**
 * Renders markdown into `host` while it is being received. A block that is complete is never touched again, the open
 * one costs no more however long the text is, and what comes out does not depend on how the text was cut into chunks:
 * block structure depends on whole lines only, and the unfinished last line is a preview that is taken away again.
 *
 * Classes: `md-group` around blocks of a long text (`content-visibility: auto`, no margin of its own); `code-block` > `code-header` (`code-language`, `code-copy`) + `pre` > `code[data-language]` > `code-line`
 * (needs `display: block`; in a `line-group` from the 101st on); `md-table` around a table (scrolls sideways); `md-plain` > `md-line`
 * (`white-space: pre-wrap`); `md-loose` on a list whose items stand apart (else `li > p` has no margin);
 * `md-task-item` > `md-task` (its first `p` is `display: inline`; no bullet); `md-footnote`; `a[data-href]` (role link,
 * Enter clicks it). The host element should have `unicode-bidi: isolate` and `overflow-wrap: anywhere`.
 */
export class MarkdownStream {
  readonly #host: HTMLElement;
  readonly #context: DocumentContext;
  readonly #root: Sequence;
  readonly #lineEnds = new LineEnds();
  readonly #done = deferred<void>();
  /** Received and not yet worked off: whole chunks, joined only when a slice begins. */
  #received: string[] = [];
  #pending = '';
  /** Whether a block already has the beginning of the present line, because that line is very long. */
  #taken = false;
  #ended = false;
  /** How many of the blocks with references have been shown again. */
  #resolved = 0;
  #cancel: (() => void) | undefined;

  constructor(host: HTMLElement, options: MarkdownOptions = {}) {
    this.#host = host;
    this.#context = {
      definitions: noDefinitions(),
      highlight: options.highlight ?? highlightWhenIdle,
      references: [],
      dirty: undefined,
    };
    this.#root = new Sequence(host, this.#context, 0);
    host.addEventListener('keydown', clickLink);
  }

  /** Settles when the whole text is shown, after {@link end}. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Text that is new; shown with the next frame. */
  push(text: string): void {
    if (this.#ended || text === '') return;
    this.#received.push(this.#lineEnds.push(text));
    this.#schedule();
  }

  /** No more text comes. What is left is shown at once, or in slices if it is much. */
  end(): void {
    if (this.#ended) return;
    this.#received.push(this.#lineEnds.end());
    this.#ended = true;
    this.#work(performance.now() + finishTime);
  }

  /** As {@link end}, without ever putting off anything. */
  finish(): void {
    this.end();
    while (this.#cancel) this.#work(Number.POSITIVE_INFINITY);
  }

  /** Stops working; what is shown stays. */
  dispose(): void {
    this.#ended = true;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#received = [];
    this.#pending = '';
    this.#host.removeEventListener('keydown', clickLink);
    this.#done.resolve();
  }

  #schedule(): void {
    this.#cancel ??= nextFrame(() => this.#work(performance.now() + slice));
  }

  #work(deadline: number): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#root.unpreview();
    this.#pending += this.#received.join('');
    this.#received = [];
    if (!this.#lines(deadline)) {
      this.#schedule();
      return;
    }
    if (this.#ended) {
      this.#complete(deadline);
      return;
    }
    this.#rest();
    this.#context.dirty?.render();
    if (this.#context.dirty) this.#schedule();
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

  #complete(deadline: number): void {
    if (this.#taken || this.#pending !== '') this.#line(this.#pending);
    this.#pending = '';
    this.#root.seal();
    if (Object.keys(this.#context.definitions).length > 0 && !this.#resolve(deadline)) {
      this.#schedule();
      return;
    }
    this.#done.resolve();
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

/** A link without `href` does not react to the keyboard by itself. */
function clickLink(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.target instanceof HTMLElement) || !event.target.dataset['href']) return;
  event.preventDefault();
  event.target.click();
}
