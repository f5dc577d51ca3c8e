import { fold } from '../base/text';

/** Marks words in the conversation without touching its document: the CSS Custom Highlight API draws over the text as it is. */

const NAME = 'found';
/** Ranges that are drawn at most. */
const MOST = 500;

/** Marks every place of the words in an element, instead of what was marked before. @param words folded @returns the places */
export function markWords(within: Element, words: readonly string[]): readonly Range[] {
  const ranges = words.flatMap((word) => rangesOf(within, word)).slice(0, MOST);
  CSS.highlights.set(NAME, new Highlight(...ranges));
  return ranges;
}

/** Takes the marks away. */
export function unmark(): void {
  CSS.highlights.delete(NAME);
}

/** A word that is drawn in parts (bold letters, colours of code) is found as well: places are those in the whole text. */
function rangesOf(within: Element, word: string): Range[] {
  const nodes = textNodes(within);
  const text = nodes.map(({ data }) => fold(data)).join('');
  const starts: number[] = [];
  let length = 0;
  for (const { data } of nodes) {
    starts.push(length);
    length += data.length;
  }
  const ranges: Range[] = [];
  for (let at = text.indexOf(word); at >= 0 && ranges.length < MOST; at = text.indexOf(word, at + word.length)) {
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
    // What only screen readers get cannot be marked.
    if (node instanceof Text && !node.parentElement?.closest('.hidden-text')) nodes.push(node);
  }
  return nodes;
}

/** The last node that begins at or before a place. */
function nodeAt(starts: readonly number[], at: number): number {
  let low = 0;
  for (let high = starts.length - 1; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
