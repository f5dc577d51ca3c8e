import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { codeInfo } from '../../shared/text/codeFenceInfo';
import type { CodeAction } from './codeBlockActions';
import { LineAppender } from './lineAppender';
import { replaceControls } from './normalizeText';

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
    this.element.append(header(truncate(replaceControls(info), 120), language), pre);
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

function header(info: string, language: string): HTMLElement {
  const name = document.createElement('span');
  name.className = 'code-language';
  name.textContent = info;
  const element = document.createElement('div');
  element.className = 'code-header';
  element.append(name, codeToolbar(language === 'mermaid'));
  return element;
}

/**
 * The toolbar of a code block: one tab stop (WAI-ARIA toolbar). Clicks are delegated (`codeBlockActions.ts`), so that a
 * block needs no listener. "Show Diagram" is visible where VS Code draws diagrams (`draws-diagrams`).
 */
function codeToolbar(isDiagram: boolean): HTMLElement {
  const toolbar = document.createElement('div');
  toolbar.className = 'code-actions';
  toolbar.setAttribute('role', 'toolbar');
  toolbar.setAttribute('aria-label', t('Code'));
  toolbar.append(
    ...(isDiagram ? [button('diagram', 'type-hierarchy', t('Show Diagram'), t('Show Diagram'))] : []),
    button('copy', 'copy', t('Copy')),
    button('insert', 'insert', t('Insert at Cursor'), isDiagram ? undefined : t('Insert')),
    button('apply', 'git-pull-request-go-to-changes', t('Apply to File'), isDiagram ? undefined : t('Apply')),
    button('open', 'new-file', t('Open in Editor')),
    button('wrap', 'word-wrap', t('Wrap Lines')),
  );
  toolbar.querySelector('[data-action="wrap"]')?.setAttribute('aria-pressed', 'false');
  // The tab stop is "Copy", which is always visible.
  for (const each of toolbar.querySelectorAll(':scope > :not([data-action="copy"])'))
    each.setAttribute('tabindex', '-1');
  return toolbar;
}

/** @param word Beside the icon, for what changes a file, and for what a diagram is there for. */
function button(action: CodeAction, icon: string, label: string, word?: string): HTMLElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = 'icon-button';
  element.dataset['action'] = action;
  element.setAttribute('aria-label', label);
  element.title = label;
  const sign = document.createElement('i');
  sign.className = `codicon codicon-${icon}`;
  sign.setAttribute('aria-hidden', 'true');
  element.append(sign);
  if (word !== undefined) {
    element.classList.add('worded');
    element.append(word);
  }
  return element;
}
