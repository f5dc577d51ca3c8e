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

  it('have columns as wide as short texts, and of at least 10 em for long ones', async () => {
    const widths = (): Promise<number[]> =>
      code.page.locator('th').evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().width / 12));
    const long = 'A text of many words that is wrapped in its column';
    await show(`| # | Name | Text | More |\n|---|---|---|---|\n| 1 | a b | ${`${long} | `.repeat(2)}\n`);
    const [number = 0, name = 0, ...texts] = await widths();
    assert.ok(number < 4 && name < 6, `${number} ${name}`);
    assert.ok(
      texts.every((width) => width >= 10),
      String(texts),
    );
    // Later rows keep the widths, and a number of some digits fits.
    const rows = Array.from({ length: 250 }, (_, at) => `| ${at} | a b | ${long} |\n`);
    await show(`| # | Name | Text |\n|---|---|---|\n${rows.join('')}`);
    const heights = await code.page
      .locator('.md-table-part')
      .evaluateAll(
        (parts) =>
          new Set(parts.flatMap((part) => [...part.querySelectorAll('tr')].map((row) => row.offsetHeight))).size,
      );
    assert.ok(heights <= 2, `${heights}`);
    assert.ok((await widths()).every((width) => width > 4.5));
  });

  it('scroll horizontally, with a fade at the edge', async () => {
    const long = 'A text of many words that is wrapped in its column';
    await show(`| a | b | c | d | e |\n|---|---|---|---|---|\n| ${`${long} | `.repeat(5)}\n`);
    const table = code.page.getByRole('group', { name: 'Table' });
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
