import type { Highlight } from './codeBlock';
import type { Definitions } from './renderFragment';

/**
 * The result of offering a line to the open block: taken; taken as the last line; or refused, so that the block is
 * complete.
 */
export type LineDecision = 'taken' | 'closed' | 'refused';

/** A growing block. Blocks nest: a quote or a list item contains a sequence of blocks. */
export interface MarkdownBlock {
  /** Offers a whole line without its line feed. */
  offer(line: string): LineDecision;
  /** Shows the beginning of a line until {@link unpreview}; false when such a line would not belong to this block. */
  preview(line: string): boolean;
  unpreview(): void;
  /** Continues the last taken line; only for lines of at least `LONG_LINE_LENGTH`. */
  more(text: string): void;
  /** Whether the innermost open block is a paragraph, which also takes lines without the prefix of its container. */
  readonly lazy: boolean;
  takeLazy(line: string): void;
  previewLazy(line: string): void;
  /** Whether the innermost open block is code, where an empty line has no meaning. */
  readonly verbatim: boolean;
  /** Completes the block. Afterwards only {@link ClosedBlock.resolve} may change it, once. */
  seal(): void;
}

/** A block whose rendering waits for the end of a batch of lines. */
export interface PendingRender {
  /** False when the time is up before all is rendered. */
  render(deadline: number): boolean;
}

/** A complete block with text that a later definition may turn into a link. */
export interface ClosedBlock {
  readonly source: string;
  resolve(): void;
}

/** State shared by the blocks of one document. */
export interface DocumentContext {
  readonly definitions: Definitions;
  readonly highlight: Highlight;
  readonly references: ClosedBlock[];
  /** Only the innermost open block can be dirty. */
  dirty: PendingRender | undefined;
  /** Complete blocks that are not rendered to their end, in order. */
  readonly unfinished: PendingRender[];
}
