import { foldCaseKeepingLength } from '../../../base/text';

/** Highlights words in the conversation without changing its DOM, by the CSS Custom Highlight API. */

const NAME = 'found';
/** Maximum number of highlighted ranges. */
const MAX_RANGES = 500;

/**
 * Highlights all occurrences of words in an element, including content rendered later: long texts are rendered in
 * batches.
 */
export class FindHighlights {
  readonly #observer = new MutationObserver(() => this.#mark());
  #isSeen = false;

  /** @param words case-folded */
  constructor(
    private readonly within: HTMLElement,
    private readonly words: readonly string[],
  ) {
    this.#observer.observe(within, { childList: true, characterData: true, subtree: true });
    this.#mark();
    // Collapsed content is not in the DOM.
    if (!this.#isSeen) requestAnimationFrame(() => this.#isSeen || unfold(within));
  }

  /** Removes the highlights. */
  end(): void {
    this.#observer.disconnect();
    CSS.highlights.delete(NAME);
  }

  #mark(): void {
    const ranges = this.words.flatMap((word) => rangesOf(this.within, word)).slice(0, MAX_RANGES);
    CSS.highlights.set(NAME, new Highlight(...ranges));
    const [first] = ranges;
    if (!first || this.#isSeen) return;
    this.#isSeen = true;
    // The blocks of a long text that is being rendered are shown together, later.
    for (const group of this.within.querySelectorAll<HTMLElement>('.md-group[hidden]')) group.hidden = false;
    first.startContainer.parentElement?.scrollIntoView({ block: 'center' });
  }
}

function unfold(within: HTMLElement): void {
  const folded = within.querySelectorAll<HTMLElement>('[aria-expanded="false"]:not([aria-haspopup])');
  for (const button of folded) button.click();
  for (const details of within.querySelectorAll('details')) details.open = true;
}

/** Finds words that span several nodes (bold letters, syntax colors): offsets refer to the whole text. */
function rangesOf(within: Element, word: string): Range[] {
  const nodes = textNodes(within);
  const text = nodes.map(({ data }) => foldCaseKeepingLength(data)).join('');
  const starts: number[] = [];
  let length = 0;
  for (const { data } of nodes) {
    starts.push(length);
    length += data.length;
  }
  const ranges: Range[] = [];
  for (let at = text.indexOf(word); at >= 0 && ranges.length < MAX_RANGES; at = text.indexOf(word, at + word.length)) {
    const range = new Range();
    const [first, last] = [nodeAt(starts, at), nodeAt(starts, at + word.length - 1)];
    const [start, end] = [nodes[first], nodes[last]];
    if (!start || !end) break;
    range.setStart(start, at - (starts[first] ?? 0));
    range.setEnd(end, at + word.length - (starts[last] ?? 0));
    ranges.push(range);
  }
  return ranges;
}

function textNodes(within: Element): Text[] {
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    // Text for screen readers only cannot be highlighted.
    if (node instanceof Text && !node.parentElement?.closest('.hidden-text')) nodes.push(node);
  }
  return nodes;
}

/** The last node that starts at or before an offset. */
function nodeAt(starts: readonly number[], at: number): number {
  let low = 0;
  for (let high = starts.length - 1; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
