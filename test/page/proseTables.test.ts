import assert from 'node:assert/strict';
import { suiteWebviewCode } from './webviewCode';

const source = `
import { markdownLoaded, renderMarkdown } from './src/webview/markdown/markdownStream';
globalThis.ready = markdownLoaded;
const host = document.getElementById('host');
host.className = 'markdown';
globalThis.show = (text) => (host.replaceChildren(), renderMarkdown(host, text));
`;

describe('tables and diagrams in answers', () => {
  const code = suiteWebviewCode(source);

  const show = (text: string): Promise<void> => code.call('show', text);

  it('scroll horizontally, with columns of at least 10 em and a fade at the edge', async () => {
    await show(`| a | b | c | d | e |\n|---|---|---|---|---|\n| 1 | 2 | 3 | 4 | 5 |\n`);
    const table = code.page.getByRole('group', { name: 'Table' });
    const widths = await table
      .locator('th')
      .evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().width / 12));
    assert.ok(
      widths.every((width) => width >= 10),
      String(widths),
    );
    const fades = (): Promise<string[]> =>
      table.evaluate((element) =>
        ['--fade-start', '--fade-end'].map((name) => getComputedStyle(element).getPropertyValue(name)),
      );
    assert.deepEqual(await fades(), ['0px', '28px']);
    await table.evaluate((element) => {
      element.scrollLeft = 60;
    });
    await code.page.waitForFunction(
      () => getComputedStyle(document.querySelector('.md-table')!).getPropertyValue('--fade-start') === '28px',
    );
    await table.evaluate((element) => {
      element.scrollLeft = 10_000;
    });
    await code.page.waitForFunction(
      () => getComputedStyle(document.querySelector('.md-table')!).getPropertyValue('--fade-end') === '0px',
    );
    await show(`| a | b |\n|---|--:|\n| 1 | 2 |\n`);
    assert.equal(
      await table
        .locator('td')
        .last()
        .evaluate((cell) => getComputedStyle(cell).textAlign),
      '-webkit-right',
    );
    assert.deepEqual(await fades(), ['0px', '0px']);
    await table.focus();
    assert.equal(await table.evaluate((element) => document.activeElement === element), true);
  });

  it('show Mermaid as a code block that can be copied and opened', async () => {
    await show('```mermaid\ngraph LR; A --> B\n```\n');
    assert.equal(await code.page.locator('code[data-language=mermaid]').textContent(), 'graph LR; A --> B\n');
    for (const name of ['Copy', 'Open in Editor'])
      assert.equal(await code.page.getByRole('button', { name }).count(), 1);
  });
});
