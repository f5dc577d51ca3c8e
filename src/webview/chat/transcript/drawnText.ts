/** Labels of the page, which are no text of the conversation. */
const LABELS = '.hidden-text, .meta, .buttons, .tool-status, .hunk-start, .link-button';
/** Texts of different blocks are not found as one. */
const BLOCKS = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, button, summary, bdi, div, ins, del, .code-line';
const FOLDED =
  '[aria-expanded="false"]:not([aria-haspopup]), .card-more:not([aria-expanded]), :is(.folded, .search-results) > .link-button';

/** The text that an element shows, for finding words that span several nodes (bold letters, syntax colors). */
export class DrawnText {
  readonly #nodes: Text[] = [];
  /** Of each node in the text. */
  readonly #starts: number[] = [];
  readonly #text: string;

  /** @param fold gives the text as it is compared, of the same length */
  constructor(within: Element, fold: (text: string) => string) {
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    const parts: string[] = [];
    let length = 0;
    let last: Element | null | undefined;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!(node instanceof Text) || parent?.closest(LABELS)) continue;
      const block = parent?.closest(BLOCKS);
      if (last && block !== last) {
        parts.push('\n');
        length++;
      }
      last = block;
      this.#nodes.push(node);
      this.#starts.push(length);
      parts.push(fold(node.data));
      length += node.data.length;
    }
    this.#text = parts.join('');
  }

  /** @param word folded */
  rangesOf(word: string, max: number): Range[] {
    const ranges: Range[] = [];
    const text = this.#text;
    for (let at = text.indexOf(word); at >= 0 && ranges.length < max; at = text.indexOf(word, at + word.length)) {
      const range = new Range();
      const [first, last] = [this.#nodeAt(at), this.#nodeAt(at + word.length - 1)];
      const [start, end] = [this.#nodes[first], this.#nodes[last]];
      // A removed node may be shorter by now.
      if (!start?.isConnected || !end?.isConnected) break;
      range.setStart(start, at - (this.#starts[first] ?? 0));
      range.setEnd(end, at + word.length - (this.#starts[last] ?? 0));
      ranges.push(range);
    }
    return ranges;
  }

  /** The last node that starts at or before an offset. */
  #nodeAt(at: number): number {
    let low = 0;
    for (let high = this.#starts.length - 1; low < high;) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The blocks of a long text that is being rendered are shown together, later. */
export function showRenderedBlocks(within: Element): void {
  for (const group of within.querySelectorAll<HTMLElement>('.md-group[hidden]')) group.hidden = false;
}

/**
 * Expands what is collapsed: its content is not in the DOM.
 * @param done what was expanded before; the user may have collapsed it again
 * @returns whether anything was left to expand
 */
export function unfold(within: Element, done: WeakSet<Element>): boolean {
  const folded = [...within.querySelectorAll<HTMLElement>(FOLDED)].filter((button) => !done.has(button));
  for (const button of folded) {
    done.add(button);
    button.click();
  }
  for (const details of within.querySelectorAll('details')) details.open = true;
  return folded.length > 0;
}
