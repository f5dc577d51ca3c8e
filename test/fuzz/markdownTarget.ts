import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { PageWindow } from '../page/pageWindow';
import type { WebviewCode } from '../page/webviewCode';
import { openWebviewCode } from '../page/webviewCode';
import { hostileText } from './hostile';
import type { Target } from './target';
import { anyInput } from './target';

/** Runs in Chromium under the page's policy. */
const source = `
import { MarkdownStream, markdownLoaded, renderMarkdown } from './src/webview/markdown/markdownStream';
import { TerminalOutputView } from './src/webview/terminal/terminalOutput';
globalThis.ready = markdownLoaded;
const none = () => {};
const forbidden = 'script, iframe, object, embed, link, meta, base, form, style, svg, input, [href], [style], [srcdoc], [onerror], [onclick], [onload]';
/** Formulas are shown when KaTeX is loaded and the page is idle. */
const formulasShown = async (host) => {
  while (host.querySelector('.md-math:not(:has(math))')) await new Promise((resolve) => requestAnimationFrame(resolve));
};
const bad = (host) => [...host.querySelectorAll(forbidden)].map((element) => element.outerHTML.slice(0, 200));
Object.assign(globalThis, {
  async compare(chunks) {
    const whole = document.createElement('div');
    renderMarkdown(whole, chunks.join(''), none);
    const host = document.createElement('div');
    const stream = new MarkdownStream(host, none);
    for (const chunk of chunks) stream.push(chunk);
    stream.end();
    await stream.done;
    await Promise.all([formulasShown(whole), formulasShown(host)]);
    return { whole: whole.innerHTML, streamed: host.innerHTML, bad: [...bad(whole), ...bad(host)], text: whole.textContent.length };
  },
  async output(chunks) {
    const host = document.createElement('div');
    const screen = new TerminalOutputView(host);
    for (const chunk of chunks) screen.write(chunk);
    await screen.whenShown();
    return [...host.querySelectorAll('a, img, script, [href], [onclick]')].length;
  },
});
`;

const parts = fc.oneof(
  hostileText,
  fc.constantFrom(
    '# ',
    '- ',
    '1. ',
    '> ',
    '```',
    '```ts\n',
    '~~~',
    '---',
    '| a | b |\n|---|---|\n',
    '| 1 ',
    '**',
    '_',
    '~~',
    '`',
    '[',
    ']',
    '(',
    ')',
    '![x](',
    '](javascript:alert(1))',
    '](command:x)',
    '](data:text/html,x)',
    '[x]: ',
    '[^1]',
    '[^1]: ',
    '<b>',
    '<!--',
    '<script>',
    '&lt;',
    '\\',
    '\n',
    '\n\n',
    '\r',
    '    ',
    '\t',
    'word',
    ' ',
    'https://auto.link',
    '<https://x>',
    '- [ ] ',
    '\n> - 1. ',
    '#'.repeat(7),
    '$x$',
    '$',
    '$$',
    '\\[',
    '\\]',
    '\\(',
    '\\)',
    '\\frac{1}{2}',
    '\\href{javascript:alert(1)}{x}',
    '\\char"202E',
    '\\sqrt{'.repeat(20),
    '\\left(',
    '\\def\\a{\\a\\a}',
    '^2_',
    '{',
    '}',
  ),
);

interface Compared {
  readonly whole: string;
  readonly streamed: string;
  readonly bad: readonly string[];
}

/** Markdown renders the same streamed and whole, without active content; also as command output. */
export class MarkdownTarget implements Target {
  readonly name = 'markdown';
  #code: WebviewCode | undefined;

  async open(): Promise<void> {
    this.#code = await openWebviewCode(source);
  }

  async close(): Promise<void> {
    await this.#code?.close();
    this.#code = undefined;
  }

  property(): ReturnType<Target['property']> {
    return anyInput(fc.asyncProperty(fc.array(parts, { maxLength: 25 }), (chunks) => this.#compare(chunks)));
  }

  async #compare(chunks: readonly string[]): Promise<void> {
    assert.ok(this.#code);
    const { page, errors } = this.#code;
    const before = errors.length;
    const { whole, streamed, bad } = await page.evaluate(
      (all) => (globalThis as PageWindow<{ compare(chunks: readonly string[]): Promise<Compared> }>).compare(all),
      chunks,
    );
    assert.equal(streamed, whole);
    assert.deepEqual(bad, []);
    const active = await page.evaluate(
      (all) => (globalThis as PageWindow<{ output(chunks: readonly string[]): Promise<number> }>).output(all),
      chunks,
    );
    assert.equal(active, 0);
    assert.deepEqual(errors.slice(before), []);
  }
}
