import type { ToolContent } from '../../../shared/state/contentBlocks';
import type { Entry } from '../../../shared/state/sessionState';

/** Pixels of a line, and of what surrounds the lines of an entry or a card. */
const LINE = 18;
const AROUND = 40;
/** Maximum lines that a card shows until the user expands it. */
const MAX_LINES = 40;
/** UTF-16 units of a line in a narrow view. */
const WIDTH = 60;

/** Heights that style sheets have a class for: `height-80`. */
const MAX_HEIGHT = 5120;

/**
 * A rough height in pixels of an entry that was never rendered: 40 times a power of two. If an estimate is far too low, the browser
 * renders many entries that are far from the view.
 */
export function entryHeight(entry: Entry): number {
  return Math.min(MAX_HEIGHT, AROUND * 2 ** Math.round(Math.log2(estimate(entry) / AROUND)));
}

function estimate(entry: Entry): number {
  try {
    if (entry.kind === 'agent') return AROUND + LINE * Math.ceil(entry.text.length / WIDTH);
    if (entry.kind === 'tool') return AROUND + entry.content.reduce((sum, content) => sum + diffHeight(content), 0);
  } catch {
    // An entry that cannot be read is named in its place.
  }
  return AROUND;
}

function diffHeight(content: ToolContent): number {
  if (content.type !== 'diff') return 0;
  const lines = content.hunks.reduce((count, hunk) => count + hunk.lines.length, 0);
  return AROUND + LINE * Math.min(MAX_LINES, lines);
}
