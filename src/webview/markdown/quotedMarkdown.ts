import type { LineDecision } from './block';
import type { Fence } from './blockSyntax';
import { closesFence, fenceStart, isBlank } from './blockSyntax';

const MARKDOWN = /^(?:markdown|mdx?|mdown|qmd|rmd)\b/i;

/** Whether a fence holds Markdown or plain text, which may have fences of its own. */
export function quotesMarkdown({ info }: Fence): boolean {
  return /^(?:te?xt\b|$)/i.test(info) || MARKDOWN.test(info);
}

/**
 * Finds the end of a fenced block that quotes Markdown with fences of the same length, as models write it; by CommonMark the first inner
 * fence without a language would end it. Such a fence ends the block if a blank line or nothing follows, otherwise it opens code in it. In
 * plain text, only a fence with a language opens code. A block that is never closed ends at its last fence.
 */
export class QuotedMarkdown {
  /** All lines so far, fences included. */
  readonly #lines: string[] = [];
  /** The open code in the block. */
  #inner: Fence | undefined;
  /** The last line is a fence that may end the block. */
  #isHeld = false;
  /** Index of the last fence that can end the block. */
  #end: number | undefined;

  constructor(private readonly fence: Fence) {}

  /** @returns the decision, and the lines that surely belong to the block */
  offer(line: string): { readonly decision: LineDecision; readonly lines: readonly string[] } {
    const held = this.#isHeld ? this.#lines.slice(-1) : [];
    if (this.#isHeld && isBlank(line)) return { decision: 'refused', lines: [] };
    const opened = this.#opening(line);
    if (this.#isHeld) this.#inner = this.fence;
    this.#isHeld = false;
    // Code has no fence with a language: the fence before it has ended the block.
    if (opened && this.#inner === this.fence) return { decision: 'refused', lines: [] };
    if (!this.#inner && !MARKDOWN.test(this.fence.info) && closesFence(line, this.fence)) {
      this.#isHeld = true;
      return { decision: 'closed', lines: [] };
    }
    this.#lines.push(line);
    if (this.#inner ? closesFence(line, this.#inner) : closesFence(line, this.fence))
      this.#end = this.#lines.length - 1;
    if (this.#inner && this.#end === this.#lines.length - 1) this.#inner = undefined;
    else if (!this.#inner && this.#end === this.#lines.length - 1) this.#isHeld = true;
    else this.#inner ??= opened;
    return { decision: 'taken', lines: this.#isHeld ? held : [...held, line] };
  }

  /** A fence with a language that could also close the block. */
  #opening(line: string): Fence | undefined {
    const fence = fenceStart(line);
    if (!fence || fence.info === '' || fence.marker[0] !== this.fence.marker[0]) return undefined;
    return fence.marker.length >= this.fence.marker.length ? fence : undefined;
  }

  more(text: string): void {
    this.#lines.push((this.#lines.pop() ?? '') + text);
  }

  /** At the end: the lines of the block, and those after it; undefined if the block has all lines that it took. */
  cut(): { readonly block: readonly string[]; readonly rest: readonly string[] } | undefined {
    if (this.#isHeld || this.#end === undefined) return undefined;
    return { block: this.#lines.slice(0, this.#end), rest: this.#lines.slice(this.#end + 1) };
  }
}
