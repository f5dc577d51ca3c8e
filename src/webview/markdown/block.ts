import type { Definitions } from './renderFragment';
import type { Highlight } from './codeBlock';

/**
 * What becomes of a line offered to the open block: it belongs to it; it belongs to it and ends it;
 * or it is not its line, so the block is complete.
 */
export type LineVerdict = 'taken' | 'closed' | 'refused';

/** A block that still grows. Blocks nest: a quote or a list item holds a sequence of blocks. */
export interface Block {
  /** A whole line, without its line feed. */
  offer(line: string): LineVerdict;
  /** Shows the beginning of a line until {@link unpreview}; false when such a line would not belong to this block. */
  preview(line: string): boolean;
  unpreview(): void;
  /** Continues the line taken last; only for lines of at least `longLine`. */
  more(text: string): void;
  /** Whether a paragraph is open innermost: it also takes lines that lack the prefix of what it stands in. */
  readonly lazy: boolean;
  takeLazy(line: string): void;
  previewLazy(line: string): void;
  /** Whether what is open innermost is code, where an empty line means nothing. */
  readonly verbatim: boolean;
  /** The block is complete and is not touched again, except once by {@link ClosedBlock.resolve}. */
  seal(): void;
}

/** A block whose look waits for the end of a batch of lines. */
export interface PendingRender {
  render(): void;
}

/** A complete block with text that a definition further down may turn into a link. */
export interface ClosedBlock {
  readonly source: string;
  resolve(): void;
}

/** What the blocks of one document share. */
export interface DocumentContext {
  readonly definitions: Definitions;
  readonly highlight: Highlight;
  readonly references: ClosedBlock[];
  /** At most one block is dirty: the one that is open innermost. */
  dirty: PendingRender | undefined;
}
