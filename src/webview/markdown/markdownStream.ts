import { createDeferred } from '../../base/async';
import type { Highlight } from './codeBlock';
import { BUSY_SLICE_MS, nextFrame, scheduleAfter, SLICE_MS } from './frameScheduler';
import { LineAppender } from './lineAppender';
import type { MarkdownDocument, RenderProgress } from './markdownDocument';

/** Maximum milliseconds of immediate work at the end of a text; the rest continues in slices. */
const FINISH_MS = 16;
/** UTF-16 units of a text that are shown until the parser is loaded. */
const MAX_UNPARSED = 4000;
/** Minimum milliseconds between two renderings of slowly arriving text: each causes layout and paint. */
const RENDER_INTERVAL_MS = 30;

/** A document that is rendered step by step. */
interface Renderer {
  /** @param isEnded `text` is the rest */
  work: MarkdownDocument['work'];
}

type NewDocument = (host: HTMLElement, highlight: Highlight | undefined) => Renderer;

/** Creates a document, once the parser is loaded; before, text is shown unparsed. */
let newDocument: NewDocument | undefined;

async function load(): Promise<void> {
  try {
    const { MarkdownDocument } = await import('./markdownDocument');
    newDocument = (host, highlight) => new MarkdownDocument(host, highlight);
  } catch {
    newDocument = (host) => new PlainDocument(host);
  }
}

/** Settles when the parser is loaded. Loading starts with the page, so that the first text rarely waits. */
export const markdownLoaded: Promise<void> = load();

/**
 * Renders Markdown into `host` while it is received. A complete block never changes again, and the cost of the open one
 * is independent of the text's length. The result does not depend on the chunks: block structure depends on whole lines
 * only, and the unfinished last line is a temporary preview. Classes: `md-group` around blocks of a long text
 * (`content-visibility: auto`, no margin of its own); `code-block` > `code-header` (`code-language`, `code-actions`) + `pre` >
 * `code[data-language]` > `code-line` (needs `display: block`; in a `line-group` from the 101st on); `md-table` around a table (scrolls
 * sideways; `md-long` on cells that wrap); `md-plain` > `md-line` (`white-space: pre-wrap`); `md-loose` on a list whose items stand apart (else `li > p` has no margin);
 * `md-task-item` > `md-task` (its first `p` is `display: inline`; no bullet); `md-footnote`; `a[data-href]` (role link, Enter clicks it).
 * The host element should have `unicode-bidi: isolate` and `overflow-wrap: anywhere`.
 */
export class MarkdownStream {
  readonly #lineEnds = new LineEndNormalizer();
  readonly #done = createDeferred<void>();
  #document: Renderer | undefined;
  /** Received chunks, joined only when a slice of work starts. */
  #received: string[] = [];
  #isEnded = false;
  #isDisposed = false;
  #shownAt = 0;
  /** More work remained than fits a slice. */
  #isBehind = false;
  #cancel: (() => void) | undefined;

  /** @param highlight colors a complete code block; by default when the page is idle */
  constructor(
    private readonly host: HTMLElement,
    private readonly highlight?: Highlight,
  ) {
    host.addEventListener('keydown', clickLink);
  }

  /** Settles when the whole text is shown, after {@link end}. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Appends text; shown in one of the next frames. */
  push(text: string): void {
    if (this.#isEnded || text === '') return;
    this.#received.push(this.#lineEnds.push(text));
    this.#schedule();
  }

  /** Ends the text. The rest is shown at once, or in slices if it is long. */
  end(): void {
    this.#finish(performance.now() + FINISH_MS);
  }

  /** As {@link end}, but synchronous if the parser is loaded. */
  finish(): void {
    this.#finish(Number.POSITIVE_INFINITY);
  }

  /** Stops working; rendered content stays. */
  dispose(): void {
    this.#isEnded = true;
    this.#isDisposed = true;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#received = [];
    this.host.removeEventListener('keydown', clickLink);
    this.#done.resolve();
  }

  #finish(deadline: number): void {
    if (this.#isDisposed) return;
    if (!this.#isEnded) this.#received.push(this.#lineEnds.end());
    this.#isEnded = true;
    if (newDocument) return this.#work(deadline);
    // Until the parser is loaded. A long text is not drawn twice.
    const text = this.#received.join('').slice(0, MAX_UNPARSED);
    if (!this.host.hasChildNodes()) new PlainDocument(this.host).work(text, true);
    void markdownLoaded.then(() => this.#finish(deadline));
  }

  #schedule(): void {
    if (!newDocument) void markdownLoaded.then(() => this.#schedule());
    else if (!this.#cancel) {
      const run = (): void => this.#work(performance.now() + (this.#isBehind ? BUSY_SLICE_MS : SLICE_MS));
      const wait = this.#shownAt + RENDER_INTERVAL_MS - performance.now();
      // A requested frame makes the browser draw even without changes, so waiting uses a timer.
      this.#cancel = this.#isBehind || wait <= 0 ? nextFrame(run) : scheduleAfter(wait, run);
    }
  }

  #work(deadline: number): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#isDisposed || !newDocument) return;
    if (!this.#document) {
      this.host.replaceChildren();
      this.#document = newDocument(this.host, this.highlight);
    }
    const text = this.#received.join('');
    this.#received = [];
    const progress = this.#document.work(text, this.#isEnded, deadline);
    this.#shownAt = performance.now();
    this.#isBehind = progress === 'more';
    if (progress === 'more' || progress === 'soon') this.#schedule();
    else if (progress === 'done') this.#done.resolve();
  }
}

/** Replaces `\r\n` and `\r` by `\n`, also when a chunk ends between the two. */
export class LineEndNormalizer {
  #hasHeldReturn = false;

  push(chunk: string): string {
    let text = this.#hasHeldReturn ? `\r${chunk}` : chunk;
    this.#hasHeldReturn = text.endsWith('\r');
    if (this.#hasHeldReturn) text = text.slice(0, -1);
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }

  /** Returns a line end that was held back for the next chunk. */
  end(): string {
    const rest = this.#hasHeldReturn ? '\n' : '';
    this.#hasHeldReturn = false;
    return rest;
  }
}

/** A link without `href` does not react to the keyboard. */
function clickLink(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.target instanceof HTMLElement) || !event.target.dataset['href']) return;
  event.preventDefault();
  event.target.click();
}

/** Renders a finished text in `host` synchronously; the result equals that of {@link MarkdownStream}. */
export function renderMarkdown(host: HTMLElement, text: string, highlight?: Highlight): void {
  const stream = new MarkdownStream(host, highlight);
  stream.push(text);
  stream.finish();
}

/** Unparsed text, line by line: for a parser that cannot be loaded. */
class PlainDocument {
  readonly #lines: LineAppender;
  #hasStarted = false;

  constructor(host: HTMLElement) {
    const element = document.createElement('div');
    element.className = 'md-plain';
    host.append(element);
    this.#lines = new LineAppender(element, 'md-line', 'div');
  }

  work(text: string, isEnded: boolean): RenderProgress {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0 || !this.#hasStarted) this.#lines.line(part);
      else this.#lines.more(part);
      this.#hasStarted = true;
    }
    return isEnded ? 'done' : 'idle';
  }
}
