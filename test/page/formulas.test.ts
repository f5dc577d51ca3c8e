import assert from 'node:assert/strict';
import { suiteWebviewCode } from './webviewCode';

const source = `
import { MarkdownStream, markdownLoaded, renderMarkdown } from './src/webview/markdown/markdownStream';
globalThis.ready = markdownLoaded;
const host = document.getElementById('host');
host.className = 'markdown';
const shown = async () => {
  while (host.querySelector('.md-math:not(:has(math))')) await new Promise((resolve) => requestAnimationFrame(resolve));
};
Object.assign(globalThis, {
  async show(text) {
    host.replaceChildren();
    renderMarkdown(host, text);
    await shown();
    await document.fonts.ready;
    return host.innerHTML;
  },
  async stream(...chunks) {
    host.replaceChildren();
    const stream = new MarkdownStream(host);
    const seen = [];
    for (const chunk of chunks) {
      stream.push(chunk);
      // Slow text is drawn every 30 ms.
      while (!host.textContent.includes(chunk.trim().slice(-1))) await new Promise((resolve) => requestAnimationFrame(resolve));
      seen.push(host.textContent.trim());
    }
    stream.end();
    await stream.done;
    await shown();
    return [...seen, host.querySelectorAll('math').length];
  },
});
`;

describe('formulas', () => {
  const code = suiteWebviewCode(source);
  const show = (text: string): Promise<string> => code.call('show', text);
  /** The text for screen readers, with formulas in brackets. */
  async function read(text: string): Promise<string> {
    await show(text);
    return code.page.evaluate(() => {
      const host = document.getElementById('host')!;
      for (const header of host.querySelectorAll('.code-header')) header.remove();
      for (const math of host.querySelectorAll('math')) math.replaceWith(`⟦${math.textContent}⟧`);
      return host.textContent.trim();
    });
  }

  it('loads KaTeX with the first formula only', async () => {
    const requested: string[] = [];
    code.page.on('request', (request) => requested.push(request.url()));
    await show('No formula, only $5 and $10.');
    assert.deepEqual(requested, []);
    await show('One formula: $x$.');
    assert.equal(requested.filter((url) => /formulaMarkup/.test(url)).length, 1);
  });

  it('shows formulas in all four notations', async () => {
    assert.equal(await read(String.raw`a $x$ \(y\) $$z$$ \[w\] b`), 'a ⟦x⟧ ⟦y⟧ ⟦z⟧ ⟦w⟧ b');
    await show('$$x$$');
    assert.equal(await code.page.locator('math[display=block]').count(), 1);
    assert.equal(await code.page.getByRole('group', { name: 'Formula' }).getAttribute('tabindex'), '0');
  });

  it('keeps the lines of a formula out of Markdown', async () => {
    const lines = ['Text:', '$$', 'a', '= b', '- c', '> 0', '+ d', '    \\\\', '| e |', '$$', 'More'];
    const html = await show(lines.join('\n'));
    assert.doesNotMatch(html, /<(?:ul|li|h\d|blockquote|pre|table)/);
    assert.match(await read(lines.join('\n')), /^Text:⟦a=b−c>0\+d∣?.*⟧More$/);
    assert.match(await show('- item:\n  \\[\n  x\n  \\]\n- next'), /<li>.*<math.*<\/li>\s*<li>/s);
    assert.equal(await read('$$\nx\n$$.\nMore'), '⟦x⟧.More');
  });

  it('treats an unclosed formula as Markdown', async () => {
    assert.match(await show('$$ is the process\n- one\n\n# Two'), /<p>\$\$ is the process<\/p>\s*<ul>.*<h1>Two/s);
    assert.match(await show('\\[\nx\n\n**bold**'), /<strong>bold/);
    assert.match(await show(`$$\n${'word\n'.repeat(1000)}# Two\n`), /<h1>Two/);
    assert.match(await show('$$\nx'), /<p>\$\$\nx<\/p>/);
  });

  it('shows a formula that is still streaming as text', async () => {
    assert.equal((await code.call<[string]>('stream', 'a $x^', '2$ b.\n'))[0], 'a $x^');
    const [first, second, , count] = await code.call<[string, string, string, number]>(
      'stream',
      '$$\n\\frac{1',
      '}{2}\n',
      '$$\n',
    );
    assert.match(first, /^\$\$\s+\\frac\{1$/);
    assert.match(second, /^\$\$\s+\\frac\{1\}\{2\}$/);
    assert.equal(count, 1);
  });

  it('shows the source of an invalid formula', async () => {
    for (const text of ['$\\frac{1}{2$', '$\\unknown{x}$', '$\\def\\a{b}\\a$', '$\\char"202E$']) {
      assert.equal(await read(text), text);
    }
  });

  it('draws roots and large brackets', async () => {
    await show('$\\sqrt{2}$ $\\left(\\frac{1}{2}\\right)$');
    const [root, two] = await code.page
      .locator('msqrt, msqrt > mn')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
    assert.ok(root! > two! * 1.5, `${root} ${two}`);
    const [bracket, fraction] = await code.page
      .locator('mo[fence=true]:first-child, mfrac')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    assert.ok(bracket! > fraction! * 0.9, `${bracket} ${fraction}`);
  });

  it('aligns equations and shows mathematical alphabets', async () => {
    assert.equal(await read('$\\mathbb{R} \\mathcal{L} \\mathfrak{g}$'), '⟦ℝℒ𝔤⟧');
    await show('$$\\begin{aligned}a&=b\\\\ccc&=d\\end{aligned}$$');
    const sides = await code.page
      .locator('mtd')
      .evaluateAll((all) => all.map((cell) => getComputedStyle(cell).textAlign));
    assert.deepEqual(sides, ['end', 'start', 'end', 'start']);
    await show('$\\mathbf{x}$');
    assert.equal(await code.page.locator('mi').evaluate((each) => getComputedStyle(each).fontWeight), '700');
  });

  it('prevents formulas from running code, loading, coloring or covering other text', async () => {
    const texts = [
      '$\\href{javascript:alert(1)}{x}$',
      '$\\includegraphics{https://a.test/x}$',
      '$\\htmlStyle{color:red}{x}$',
    ];
    for (const text of texts) assert.equal(await read(text), text);
    await show(
      '$\\textcolor{red}{x}$ $\\colorbox{red}{x}$ $\\text{<img src=x>}$ $\\kern-100em x$ $\\raisebox{90em}{x}$',
    );
    assert.equal(await code.page.locator('math').count(), 5);
    assert.equal(
      await code.page.locator('#host').locator('img, [href], [src], [style], [mathcolor], [mathbackground]').count(),
      0,
    );
    const clipped = await code.page
      .locator('.md-math')
      .evaluateAll((all) => all.every((each) => getComputedStyle(each).overflowY === 'hidden'));
    assert.ok(clipped);
  });

  it('does not hang on hostile formulas', async () => {
    const hostile = [
      '{'.repeat(1900) + '}'.repeat(1900),
      '\\sqrt{'.repeat(400) + 'x' + '}'.repeat(400),
      '\\frac{'.repeat(50) + 'x' + '}{y}'.repeat(50),
      '\\left('.repeat(300) + '\\right)'.repeat(300),
      '\\mathllap{'.repeat(200) + 'x' + '}'.repeat(200),
      'x^{'.repeat(500) + '}'.repeat(500),
      '\\begin{matrix}' + '&'.repeat(3000) + '\\end{matrix}',
      '\\mathchoice{'.repeat(100) + 'x' + '}{}{}{}'.repeat(100),
      '\\underbrace{'.repeat(55) + 'x' + '}'.repeat(55),
    ];
    for (const tex of hostile) {
      await show(`$$${tex}$$`);
      assert.ok((await code.page.locator('#host').boundingBox())!.height > 0);
    }
    await show('$x$ '.repeat(4000));
    await show('$'.repeat(8000));
    await show('\\[ '.repeat(2500));
  });

  it('removes a backslash in prose only as Markdown requires', async () => {
    assert.equal(await read('a\\, b\\q `c\\,` $x\\,y$'), `a, b\\q c\\, ⟦x\u2009y⟧`);
    assert.equal(await read('    code\\,'), 'code\\,');
    assert.equal(await read('*a $b*c$ d*'), 'a ⟦b∗c⟧ d');
  });
});
