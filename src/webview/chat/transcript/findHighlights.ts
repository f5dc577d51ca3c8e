import { foldCaseKeepingLength } from '../../../base/text';
import { DrawnText, showRenderedBlocks, unfold } from './drawnText';

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
    if (!this.#isSeen) requestAnimationFrame(() => this.#isSeen || unfold(within, new WeakSet()));
  }

  /** Removes the highlights. */
  end(): void {
    this.#observer.disconnect();
    CSS.highlights.delete(NAME);
  }

  #mark(): void {
    const text = new DrawnText(this.within, foldCaseKeepingLength);
    const ranges = this.words.flatMap((word) => text.rangesOf(word, MAX_RANGES)).slice(0, MAX_RANGES);
    CSS.highlights.set(NAME, new Highlight(...ranges));
    const [first] = ranges;
    if (!first || this.#isSeen) return;
    this.#isSeen = true;
    showRenderedBlocks(this.within);
    first.startContainer.parentElement?.scrollIntoView({ block: 'center' });
  }
}
