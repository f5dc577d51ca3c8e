import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { PageWindow } from './pageWindow';
import { suiteWebviewCode } from './webviewCode';

/** Functions that the page provides to the tests; runs in Chromium. */
const source = `
import { MarkdownStream, markdownLoaded, renderMarkdown } from './src/webview/markdown/markdownStream';
import { MarkdownDocument } from './src/webview/markdown/markdownDocument';
globalThis.ready = markdownLoaded;
const none = () => {};
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
/** Formulas are shown when KaTeX is loaded and the page is idle. */
const formulasShown = async (host) => {
  while (host.querySelector('.md-math:not(:has(math))')) await nextFrame();
};
Object.assign(globalThis, {
  async whole(text) {
    const host = document.createElement('div');
    renderMarkdown(host, text, none);
    await formulasShown(host);
    return host.innerHTML;
  },
  async streamed(chunks, frames) {
    const host = document.createElement('div');
    document.body.append(host);
    const stream = new MarkdownStream(host, none);
    for (const chunk of chunks) {
      stream.push(chunk);
      if (frames) await nextFrame();
    }
    stream.end();
    await stream.done;
    await formulasShown(host);
    host.remove();
    return host.innerHTML;
  },
  outline(html) {
    const host = document.createElement('div');
    host.innerHTML = html;
    return [...host.querySelectorAll('p, code')].map((each) => [each.localName, each.textContent]);
  },
  show(text) {
    const host = document.getElementById('host');
    host.replaceChildren();
    renderMarkdown(host, text);
  },
  finished(text) {
    const host = document.getElementById('host');
    host.replaceChildren();
    renderMarkdown(host, text, none);
    return { hidden: host.querySelectorAll('[hidden]').length, rows: host.querySelectorAll('td').length, last: host.textContent.slice(-8) };
  },
  afterSlices(text) {
    const seen = new Set();
    for (let slice = 0; slice < 20; slice++) {
      const current = new MarkdownDocument(document.createElement('div'), none);
      current.work(text, false, 0);
      for (let at = 0; at < slice; at++) current.work('', false, 0);
      seen.add(current.work('', true, Infinity));
    }
    return [...seen];
  },
  hiddenAfterError(text) {
    const host = document.getElementById('host');
    host.replaceChildren();
    const document_ = new MarkdownDocument(host, () => {
      throw new Error('not highlighted');
    });
    let message = '';
    try {
      document_.work(text, true, Infinity);
    } catch (error) {
      message = error.message;
    }
    return { message, hidden: host.querySelectorAll('.md-group[hidden]').length, groups: host.querySelectorAll('.md-group').length };
  },
  inHidden(text) {
    const host = document.getElementById('host');
    host.replaceChildren();
    host.hidden = true;
    renderMarkdown(host, text, none);
    const isHidden = host.hidden;
    host.hidden = false;
    return isHidden;
  },
  open() {
    const host = document.getElementById('host');
    host.replaceChildren();
    globalThis.stream = new MarkdownStream(host, none);
  },
  slices(text) {
    const host = document.getElementById('host');
    host.replaceChildren();
    const document_ = new MarkdownDocument(host, none);
    // Without any time a slice takes one line, or renders one portion of rows.
    let count = 0;
    for (let progress = document_.work(text, true, 0); progress !== 'done'; count++) progress = document_.work('', true, 0);
    const largest = Math.max(...[...host.querySelectorAll('table')].map((table) => table.querySelectorAll('td').length));
    return { count, largest, words: host.textContent.match(/c\\d+/g) };
  },
  batches(text) {
    const host = document.getElementById('host');
    host.replaceChildren();
    const document_ = new MarkdownDocument(host, none);
    const parts = () => host.querySelectorAll('.md-table-part').length;
    const { now } = performance;
    // Without time between two slices all parts wait for the end.
    performance.now = () => 1;
    const added = [];
    let before = 0;
    for (let progress = document_.work(text, true, 2); ; progress = document_.work('', true, 2)) {
      added.push(parts() - before);
      before = parts();
      if (progress === 'done') break;
    }
    performance.now = now;
    return { most: Math.max(...added), all: before };
  },
  parsed(text) {
    const host = document.createElement('div');
    const parse = Range.prototype.createContextualFragment;
    let count = 0;
    Range.prototype.createContextualFragment = function (html) {
      count++;
      return parse.call(this, html);
    };
    renderMarkdown(host, text, none);
    Range.prototype.createContextualFragment = parse;
    return { count, html: host.innerHTML };
  },
  showings(text) {
    const host = document.getElementById('host');
    host.replaceChildren();
    const document_ = new MarkdownDocument(host, none);
    const { now } = performance;
    let time = 0;
    performance.now = () => time++;
    const shown = () => host.querySelectorAll('.md-group:not([hidden])').length;
    let [slices, showings, before, progress] = [0, 0, 0, 'more'];
    for (; progress === 'more'; slices++) {
      progress = document_.work(slices === 0 ? text : '', true, time + 150);
      if (shown() > before) showings++;
      before = shown();
    }
    performance.now = now;
    return { slices, showings, hidden: host.querySelectorAll('[hidden]').length };
  },
  MarkdownStream, renderMarkdown, nextFrame,
});
`;

/** Pieces of markdown syntax, so that random texts hit the interesting cases. */
const fragments = [
  ['\n', '\n\n', '\r\n', '\r', ' ', '  ', '    ', '\t', 'word', 'more words here', 'é', '😀', '\u202e', '\0', '\u2028'],
  ['# ', '## ', '- ', '* ', '+ ', '1. ', '2) ', '> ', '```', '```ts\n', '~~~', '~~~\n', '---', '===', '***', '- [x] '],
  ['|', '| a | b |\n|---|:-:|\n', '| 1 | 2 |\n', '---|---\n', '**', '*', '_', '~~', '`', '[', ']', '(', ')', '!['],
  [
    '](http://a.b/c)',
    '[x]',
    '[x]: http://x.y "t"\n',
    '[^1]',
    '[^1]: note\n',
    '<b>',
    '</b>',
    '<div>\n',
    '<!--',
    '&amp;',
  ],
  ['$', '$$', '$x$', '$$\n', '\\[\n', '\\]', '\\(', '\\)', '\\frac{1}{2}', '\\left(', '^2'],
  ['\\', 'https://auto.link/x', 'me@mail.org', '\n  - ', '\n   ', '\n> > ', '\n10. ', '<script>alert(1)</script>'],
].flat();

/** Lines and paragraphs beyond the limits at which rendering simplifies. */
const longFragments = [
  'word '.repeat(300),
  'x'.repeat(1999),
  '😀'.repeat(600),
  '* _[`'.repeat(60),
  '- - > '.repeat(40),
  '\n'.repeat(3),
];

const markdown = fc.array(fc.constantFrom(...fragments), { maxLength: 40 }).map((parts) => parts.join(''));
const longMarkdown = fc
  .array(fc.constantFrom(...fragments, ...longFragments, ...longFragments, ...longFragments), { maxLength: 30 })
  .map((parts) => parts.join(''));
/** A text and the positions at which to split it. */
const chunked = fc
  .tuple(fc.oneof(markdown, longMarkdown), fc.array(fc.nat(), { maxLength: 12 }))
  .map(([text, cuts]) => {
    const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
    return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
  });

describe('markdown', () => {
  const code = suiteWebviewCode(source);
  const whole = (text: string): Promise<string> => code.call('whole', text);

  it('draws no frames while slowly arriving text is delayed', async () => {
    const asked = await code.page.evaluate(async () => {
      const page = globalThis as PageWindow<{ open: () => void; stream: { push(text: string): void } }>;
      page.open();
      const { stream } = page;
      const { requestAnimationFrame: real } = globalThis;
      const now = performance.now.bind(performance);
      let clock = 1000;
      let frames = 0;
      performance.now = () => clock;
      globalThis.requestAnimationFrame = (run) => {
        frames++;
        return real(run);
      };
      const host = document.getElementById('host')!;
      const shows = async (text: string): Promise<void> => {
        for (let shown = ''; !shown.includes(text); shown = host.textContent ?? '')
          await new Promise((again) => setTimeout(again));
      };
      stream.push('one');
      const first = frames;
      await shows('one');
      clock += 5;
      stream.push(' two');
      const second = frames - first;
      clock += 30;
      await shows('two');
      const asked = { first, second, later: frames - first - second };
      performance.now = now;
      globalThis.requestAnimationFrame = real;
      return asked;
    });
    assert.deepEqual(asked, { first: 1, second: 0, later: 0 });
  });

  it('gives the same result for any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(chunked, fc.boolean(), async (chunks, frames) => {
        assert.equal(await code.call('streamed', chunks, frames), await whole(chunks.join('')));
      }),
      { numRuns: 250 },
    );
  });

  it('never loses a word', async () => {
    await fc.assert(
      fc.asyncProperty(markdown, async (text) => {
        let counter = 0;
        const numbered = text.replace(/word/g, () => `word${counter++}`);
        const html = await whole(numbered);
        // In a formula each letter is an element.
        const shown = html + html.replaceAll(/<[^>]*>/g, '');
        for (const [word] of numbered.matchAll(/word\d+/g)) assert.ok(shown.includes(word), `${word} in ${html}`);
      }),
      { numRuns: 200, examples: [['$$\nmore words here$$']] },
    );
  });

  it('renders the Markdown of agents', async () => {
    const html = await whole(
      '# A\n\ntext **bold** `code`\n\n- one\n- [x] two\n\n1. x\n   ```ts\n   let a;\n   ```\n2. y',
    );
    assert.match(html, /<h1>A<\/h1><p>text <strong>bold<\/strong> <code>code<\/code><\/p><ul><li><p>one/);
    assert.match(html, /aria-label="Done">☑<\/span> <p>two/);
    assert.match(
      html,
      /<ol><li><p>x<\/p><div class="code-block" data-info="ts">.*<code data-language="ts">.*let a;\n<.*<li><p>y/s,
    );
  });

  describe('a fenced block that quotes Markdown', () => {
    const cases: [name: string, text: string, blocks: readonly (readonly [tag: string, text: string])[]][] = [
      [
        'with a language inside',
        '# A\n```js\nx\n```\nb\n```\n\nAfter',
        [
          ['code', '# A\n```js\nx\n```\nb\n'],
          ['p', 'After'],
        ],
      ],
      [
        'without one',
        'a\n```\nx\n```\nb\n```\nAfter',
        [
          ['code', 'a\n```\nx\n```\nb\n'],
          ['p', 'After'],
        ],
      ],
      [
        'with two inside',
        '```\nx\n```\n\n```sh\ny\n```\n```\n\nAfter',
        [
          ['code', '```\nx\n```\n\n```sh\ny\n```\n'],
          ['p', 'After'],
        ],
      ],
      [
        'without fences',
        'a\n```\n\nAfter\n\n```js\nx\n```',
        [
          ['code', 'a\n'],
          ['p', 'After'],
          ['code', 'x\n'],
        ],
      ],
      [
        'before text in the next line',
        'a\n```\nAfter',
        [
          ['code', 'a\n'],
          ['p', 'After'],
        ],
      ],
      [
        'before text and code',
        'a\n```\nAfter\n```js\nx\n```\nEnd',
        [
          ['code', 'a\n'],
          ['p', 'After'],
          ['code', 'x\n'],
          ['p', 'End'],
        ],
      ],
      [
        'never closed',
        'a\n```js\nx\n```\nAfter',
        [
          ['code', 'a\n```js\nx\n'],
          ['p', 'After'],
        ],
      ],
      ['never closed, without fences', 'a\n\nb', [['code', 'a\n\nb\n']]],
      [
        'with longer fences',
        'a\n````\n\nAfter',
        [
          ['code', 'a\n'],
          ['p', 'After'],
        ],
      ],
      [
        'with other fences',
        '~~~\nx\n~~~\n```\n\nAfter',
        [
          ['code', '~~~\nx\n~~~\n'],
          ['p', 'After'],
        ],
      ],
    ];
    const plain: typeof cases = [
      [
        'with a language inside',
        '# A\n```js\nx\n```\nb\n```\n\nAfter\n```\ny\n```\nEnd',
        [
          ['code', '# A\n```js\nx\n```\nb\n'],
          ['p', 'After'],
          ['code', 'y\n'],
          ['p', 'End'],
        ],
      ],
      [
        'without fences',
        'a\n```\nAfter\n\n```js\nx\n```\nEnd',
        [
          ['code', 'a\n'],
          ['p', 'After'],
          ['code', 'x\n'],
          ['p', 'End'],
        ],
      ],
      [
        'never closed',
        '```js\nx\n```\nAfter',
        [
          ['code', '```js\nx\n'],
          ['p', 'After'],
        ],
      ],
    ];
    for (const info of ['', 'text', 'txt']) {
      for (const [name, quoted, blocks] of plain) {
        it(`ends at its last fence, in "${info}": ${name}`, async () => {
          const text = `\`\`\`${info}\n${quoted}`;
          for (const html of [await whole(text), await code.call('streamed', text.match(/[^]{1,3}/g) ?? [], true)])
            assert.deepEqual(await code.call('outline', html), blocks);
        });
      }
    }

    it('ends at its last fence, in a list and with tildes', async () => {
      const list = '1. Here:\n\n   ```markdown\n   # A\n   ```js\n   x\n   ```\n   ```\n\nAfter';
      assert.match(await whole(list), /```js\n<[^]*x\n<[^]*```\n<[^]*<\/ol><p>After<\/p>/);
      const tildes = await code.call('outline', await whole('~~~md\na\n~~~js\nx\n~~~\nb\n~~~\n\nAfter'));
      assert.deepEqual(tildes, [
        ['code', 'a\n~~~js\nx\n~~~\nb\n'],
        ['p', 'After'],
      ]);
    });

    for (const [name, quoted, blocks] of cases) {
      it(`ends at its last fence: ${name}`, async () => {
        const text = `Here:\n\n\`\`\`markdown\n${quoted}`;
        for (const html of [await whole(text), await code.call('streamed', text.match(/[^]{1,3}/g) ?? [], true)]) {
          const shown = await code.call('outline', html);
          assert.deepEqual(shown, [['p', 'Here:'], ...blocks]);
        }
      });
    }
  });

  it('shows HTML as text and runs nothing', async () => {
    const html = await whole('<img src=x onerror="alert(1)"> <b>x</b>\n\n<script>alert(2)</script>\n\n<div>\ny');
    assert.ok(!/<(?:img|b|script)\b/.test(html), html);
    assert.ok(html.includes('&lt;script&gt;alert(2)&lt;/script&gt;'), html);
  });

  it('passes link targets to the host: no href, no image from the network', async () => {
    const html = await whole(
      '[a](javascript:alert(1)) [b](src/x.ts#L3) ![c](http://x/y.png) ![d](data:image/png;base64,AA==) <http://e>',
    );
    assert.ok(!/\shref=/.test(html), html);
    assert.match(html, /data-href="javascript:alert\(1\)"/);
    assert.match(html, /data-href="src\/x.ts#L3" title="src\/x.ts#L3">b</);
    assert.match(html, /data-href="http:\/\/x\/y.png"[^>]*>c</);
    assert.match(html, /<img src="data:image\/png;base64,AA==" alt="d">/);
  });

  it('shows only images with embedded data', async () => {
    const addresses = [
      'https://evil.test/?data:image/png;',
      'https://evil.test/#data:image/png;base64,AA==',
      '//evil.test/data:image/gif,x',
      'x:data:image/png,',
      'data:text/html,data:image/png;',
      'data:image/pngx;base64,AA==',
    ];
    const html = await whole(addresses.map((address) => `![x](${address})`).join(' '));
    assert.ok(!/<img\b/.test(html), html);
    assert.equal(html.match(/ data-href=/g)?.length, addresses.length, html);
  });

  it('opens a link with the keyboard', async () => {
    await code.call('show', '[go](https://x.y)');
    const clicked = code.page.evaluate(
      () =>
        new Promise((resolve) => {
          document.addEventListener('click', (event) => resolve((event.target as HTMLElement).dataset['href']), {
            once: true,
          });
        }),
    );
    await code.page.getByRole('link', { name: 'go' }).press('Enter');
    assert.equal(await clicked, 'https://x.y');
  });

  it('escapes bidirectional and control characters in text, code and titles', async () => {
    const html = await whole('a \u202e b &#x202e;\n\n```\nx\u2066y\u001b\n```\n[l](http://x/\u202egpj)');
    const shown = html.replace(/data-href="[^"]*"/g, '');
    // oxlint-disable-next-line no-control-regex -- the test is about control characters
    assert.ok(!/[\u202e\u2066\u001b]/.test(shown), shown);
    assert.equal(html.match(/⟨U\+202E⟩/g)?.length, 3);
  });

  it('resolves references and footnotes that are defined later', async () => {
    const text =
      'see [the doc] and this[^1]\n\n| a |\n|---|\n| [the doc] |\n\n[the doc]: https://x.y\n[^1]: a *note*\n';
    const html = await code.call<string>('streamed', text.split(''), false);
    assert.equal(html.match(/data-href="https:\/\/x.y"/g)?.length, 2);
    assert.match(html, /this<sup>1<\/sup>/);
    assert.match(html, /<div class="md-footnote"><sup>1<\/sup><p>a <em>note<\/em>/);
  });

  it('copies code unchanged', async () => {
    await code.call('show', '```ts\nconst a = 1;\n\n\tif (a) {\r\n  b();\n```\n');
    const text = await code.page.locator('code').evaluate((element) => element.textContent);
    assert.equal(text, 'const a = 1;\n\n\tif (a) {\n  b();\n');
    assert.equal(await code.page.getByRole('button', { name: 'Copy' }).getAttribute('data-action'), 'copy');
  });

  it('shows text before its line or block is complete', async () => {
    await code.call('open');
    await code.page.evaluate('stream.push("Hello **wor")');
    await code.page.getByText('Hello **wor').waitFor();
    await code.page.evaluate('stream.push("ld**\\n\\n```js\\nlet x")');
    await code.page.locator('strong', { hasText: 'world' }).waitFor();
    await code.page.locator('code[data-language=js]', { hasText: 'let x' }).waitFor();
    await code.page.evaluate('stream.push(" = 1;\\n```\\n- item")');
    await code.page.locator('code', { hasText: 'let x = 1;' }).waitFor();
    await code.page.locator('li', { hasText: 'item' }).waitFor();
  });

  it('does not update a complete block again', async () => {
    await code.call('open');
    await code.page.evaluate('stream.push("first\\n\\nsecond\\n\\nthird")');
    await code.page.getByText('third').waitFor();
    const changed = await code.page.evaluate(async () => {
      const page = globalThis as PageWindow<{ stream: { push(text: string): void; end(): void; done: Promise<void> } }>;
      const seen: string[] = [];
      const watch = new MutationObserver((records) => seen.push(...records.map((record) => record.target.nodeName)));
      for (const block of [...document.querySelectorAll('#host > p')].slice(0, 2)) {
        watch.observe(block, { subtree: true, childList: true, characterData: true });
      }
      const before = [...document.querySelectorAll('#host > p')].slice(0, 2);
      page.stream.push(' goes on\n\n- and\n- on\n');
      page.stream.end();
      await page.stream.done;
      seen.push(...watch.takeRecords().map((record) => record.target.nodeName));
      return { seen, kept: before.every((block) => block.isConnected) };
    });
    assert.deepEqual(changed, { seen: [], kept: true });
  });

  it('adds the parts of a long table in batches, to limit the layout of a frame', async () => {
    const rows = Array.from({ length: 4_000 }, (_, at) => `| ${`c${at} | `.repeat(10)}`).join('\n');
    const { most, all } = await code.call<{ most: number; all: number }>(
      'batches',
      `| ${'h | '.repeat(10)}\n|${'---|'.repeat(10)}\n${rows}\n\nThe end.`,
    );
    assert.equal(all, 79);
    assert.ok(most <= 30, `${most} parts at once`);
  });

  it('parses no line without markup, and shows it as the parser would', async () => {
    type Parsed = { count: number; html: string };
    const plain = `One, two; 3 - "four" (it's 5% of 6/7).`;
    const { count, html } = await code.call<Parsed>('parsed', `${plain}\n\n${'- item\n'.repeat(100)}`);
    assert.equal(count, 0);
    // A link in the same paragraph makes it one for the parser.
    const parsed = await code.call<Parsed>('parsed', `${plain} [x](y)`);
    assert.equal(parsed.count, 1);
    assert.equal(html.slice(0, html.indexOf('</p>')), parsed.html.slice(0, parsed.html.indexOf(' <a')));
    const others = ['www.a.example', 'a@b.example', 'http://a.example', '&amp; b', 'a  ', 'a\\b', 'a $x$'];
    for (const text of others) assert.equal((await code.call<Parsed>('parsed', text)).count, 1, text);
  });

  it('shows the blocks of a long text after every eighth slice, because each showing costs layout', async () => {
    const { slices, showings, hidden } = await code.call<{ slices: number; showings: number; hidden: number }>(
      'showings',
      'A line.\n\n'.repeat(3000),
    );
    assert.ok(slices > 30, `${slices} slices`);
    assert.ok(showings <= slices / 8 + 1, `${showings} showings in ${slices} slices`);
    assert.equal(hidden, 0);
  });

  it('groups as many blocks of a long text as a screen shows', async () => {
    const section = `A line.\n\n\`\`\`ts\n${'let a = 1;\n'.repeat(20)}\`\`\`\n\n`;
    const html = await whole(section.repeat(20));
    const [, ...groups] = html.split('class="md-group"').map((group) => group.split('class="code-line"').length - 1);
    assert.ok(groups.length > 8 && Math.max(...groups) <= 60, `lines of code: ${groups.join(' ')}`);
  });

  it('renders a finished text at once, also with tables of many parts', async () => {
    const table = (rows: number): string => `| a |\n|---|\n${'| c |\n'.repeat(rows)}\n`;
    const text = `${'A line.\n\n'.repeat(30)}${table(350)}${table(4_000)}The end.`;
    assert.deepEqual(await code.call('finished', text), { hidden: 0, rows: 4_350, last: 'The end.' });
    assert.deepEqual(await code.call('afterSlices', text), ['done']);
  });

  it('shows the blocks before an error', async () => {
    const text = `${'A line.\n\n'.repeat(60)}\`\`\`ts\nlet a = 1;\n\`\`\`\n`;
    assert.deepEqual(await code.call('hiddenAfterError', text), { message: 'not highlighted', hidden: 0, groups: 2 });
  });

  it('leaves an element hidden in which it renders a long table', async () => {
    assert.equal(await code.call('inHidden', `| a |\n|---|\n${'| c |\n'.repeat(150)}`), true);
  });

  it('renders a long table in slices, all with the same columns', async () => {
    const tableOf = (rows: number): string =>
      `| a | b | c | d | e |\n|---|---|---|---|---|\n${Array.from({ length: rows }, (_, row) => `|${' c |'.repeat(4)} c${row} |\n`).join('')}`;
    const wordsOf = (rows: number): string[] => Array.from({ length: rows }, (_, row) => `c${row}`);
    type Slices = { count: number; largest: number; words: string[] };
    const short = await code.call<Slices>('slices', tableOf(1000));
    const long = await code.call<Slices>('slices', tableOf(2000));
    assert.deepEqual([short.words, long.words], [wordsOf(1000), wordsOf(2000)]);
    const portions = (rows: number, { count }: Slices): number => (count - rows) / ((rows * 5) / 200);
    for (const each of [portions(1000, short), portions(2000, long)]) assert.ok(each > 0.9 && each < 1.5, String(each));
    // Layout visits the cells of one part only.
    assert.ok(long.largest <= 500, String(long.largest));
    const widths = await code.page.evaluate(() =>
      [...document.querySelectorAll('#host table')].map((table) => {
        const cells = [...(table.querySelector('tr')?.children ?? [])];
        return cells.map((cell) => Math.round(cell.getBoundingClientRect().width)).join(' ');
      }),
    );
    assert.equal(widths.length, 20);
    assert.equal(new Set(widths).size, 1, widths.join('\n'));
  });
});
