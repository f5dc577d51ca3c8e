import { truncate } from '../../base/text';
import { codeInfo } from '../../shared/text/codeFenceInfo';
import { codeToolbar } from './codeToolbar';
import { LineAppender } from './lineAppender';
import { escapeInvisible } from './normalizeText';

/** Maximum UTF-16 units of an info string; the rest is cut off. */
const MAX_INFO = 500;

/** Called for each complete code block; see `webview/highlighting/highlightWhenIdle.ts`. */
export type Highlight = (code: HTMLElement) => void;

/**
 * A code block: `div.code-block > div.code-header(span.code-language, div.code-actions) + pre > code[data-language] > span.code-line*`.
 * `code.textContent` is the code, each line ending with a line feed: what "Copy" copies.
 */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly code: HTMLElement;
  readonly lines: LineAppender;

  constructor(info: string) {
    const { language } = codeInfo(info);
    this.element = document.createElement('div');
    this.element.className = 'code-block';
    this.element.dataset['info'] = truncate(info, MAX_INFO);
    this.code = document.createElement('code');
    if (language) this.code.dataset['language'] = language;
    const pre = document.createElement('pre');
    pre.tabIndex = 0;
    pre.append(this.code);
    this.element.append(header(truncate(escapeInvisible(info), 120)), pre);
    this.lines = new LineAppender(this.code, 'code-line');
  }

  /** Creates a complete block. */
  static of(info: string, text: string): CodeBlock {
    const block = new CodeBlock(info);
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) block.lines.line(line);
    return block;
  }
}

function header(info: string): HTMLElement {
  const name = document.createElement('span');
  name.className = 'code-language';
  name.textContent = info;
  const element = document.createElement('div');
  element.className = 'code-header';
  element.append(name, codeToolbar());
  return element;
}
