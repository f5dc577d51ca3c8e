import assert from 'node:assert/strict';
import { suiteWebviewCode } from './webviewCode';

const source = `
import { markdownLoaded, renderMarkdown } from './src/webview/markdown/markdownStream';
import { TerminalOutputView } from './src/webview/terminal/terminalOutput';
globalThis.ready = markdownLoaded;
const host = document.getElementById('host');
Object.assign(globalThis, {
  show: (text) => (host.replaceChildren(), renderMarkdown(host, text)),
  async terminal(chunks, options) {
    host.replaceChildren();
    globalThis.screen_ = new TerminalOutputView(host, options?.maxLines);
    for (const chunk of chunks) screen_.write(chunk);
    await screen_.whenShown();
    return { text: host.textContent, html: host.innerHTML };
  },
});
`;

describe('colors of code and terminals', () => {
  const code = suiteWebviewCode(source);

  it('color complete code without changing its text or using inline styles', async () => {
    const text = '// note\nexport async function f(a: string): Promise<number> {\n  return `${a}`.length + 1;\n}\n';
    await code.call('show', `\`\`\`ts\n${text}\`\`\`\n`);
    await code.page.locator('.tok-keyword', { hasText: 'export' }).waitFor();
    await code.page.locator('.tok-comment', { hasText: '// note' }).waitFor();
    await code.page.locator('.tok-keyword', { hasText: 'return' }).waitFor();
    assert.equal(await code.page.locator('code').evaluate((element) => element.textContent), text);
    assert.equal(await code.page.locator('[style]').count(), 0);
  });

  it('keep the grammar state across slices', async () => {
    const lines = Array.from({ length: 400 }, (_, at) => `line ${at} of a template`).join('\n');
    await code.call('show', `\`\`\`js\nconst a = \`\n${lines}\n\`;\nlet done = 1;\n\`\`\`\n`);
    await code.page.locator('.tok-keyword', { hasText: 'let' }).waitFor();
    assert.ok((await code.page.locator('.tok-string, .tok-string-expression').count()) >= 400);
  });

  for (const [language, text, token] of [
    ['python', 'def f():\n    pass', 'keyword'],
    ['sh', 'echo "hi" # note', 'comment'],
    ['json', '{"a": true}', 'constant'],
    ['diff', '-old\n+new', 'inserted'],
    ['c++', 'int main() { return 0; }', 'keyword'],
    ['rs', 'fn main() {}', 'keyword'],
    ['html', '<p class="x">y</p>', 'string-expression'],
    ['md', '# Title\n\n`code`', 'string'],
  ] as const) {
    it(`support ${language}`, async () => {
      await code.call('show', `\`\`\`${language}\n${text}\n\`\`\`\n`);
      await code.page.locator(`.tok-${token}`).first().waitFor();
    });
  }

  it('color terminal output and apply overwrites', async () => {
    const { text, html } = await code.call<{ text: string; html: string }>('terminal', [
      'a\u001b[3',
      '1mred\u001b[0m\n10%\r',
      '20%\n\u001b[38;2;1;2;3mtrue\u001b[0m\u202e\n',
    ]);
    assert.equal(text, 'ared\n20%\ntrue⟨U+202E⟩\n');
    assert.match(html, /<span class="ansi-red-fg">red<\/span>/);
    assert.equal(
      await code.page.getByText('true').evaluate((element) => getComputedStyle(element).color),
      'rgb(1, 2, 3)',
    );
  });

  it('are limited to a number of lines, with a notice', async () => {
    const output = Array.from({ length: 1500 }, (_, at) => `line ${at}\n`);
    const { text } = await code.call<{ text: string }>('terminal', output, { maxLines: 400 });
    assert.match(text, /^1,000 earlier lines are no longer shown\./);
    assert.ok(text.endsWith('line 1499\n'));
    assert.ok(!text.includes('line 999\n'));
  });
});
