import type { ToolContent } from '../../../shared/state/contentBlocks';
import type { Entry } from '../../../shared/state/sessionState';

/** Pixels of a line, and of what surrounds the lines of an entry or a card. */
const LINE_HEIGHT_PX = 18;
const FRAME_HEIGHT_PX = 40;
/** Maximum lines that a card shows until the user expands it. */
const MAX_LINES = 40;
/** UTF-16 units of a line in a narrow view. */
const LINE_CHARS = 60;

/** Heights that style sheets have a class for: `height-80`. */
const MAX_HEIGHT_PX = 5120;

/**
 * A rough height in pixels of an entry that was never rendered: 40 times a power of two. If an estimate is far too low, the browser
 * renders many entries that are far from the view.
 */
export function entryHeight(entry: Entry): number {
  return Math.min(MAX_HEIGHT_PX, FRAME_HEIGHT_PX * 2 ** Math.round(Math.log2(estimate(entry) / FRAME_HEIGHT_PX)));
}

function estimate(entry: Entry): number {
  try {
    if (entry.kind === 'agent') return FRAME_HEIGHT_PX + LINE_HEIGHT_PX * Math.ceil(entry.text.length / LINE_CHARS);
    if (entry.kind === 'tool')
      return FRAME_HEIGHT_PX + entry.content.reduce((sum, content) => sum + diffHeight(content), 0);
  } catch {
    // An entry that cannot be read is named in its place.
  }
  return FRAME_HEIGHT_PX;
}

function diffHeight(content: ToolContent): number {
  if (content.type !== 'diff') return 0;
  const lines = content.hunks.reduce((count, hunk) => count + hunk.lines.length, 0);
  return FRAME_HEIGHT_PX + LINE_HEIGHT_PX * Math.min(MAX_LINES, lines);
}
