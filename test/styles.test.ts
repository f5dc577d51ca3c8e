import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

/** Set by VS Code on the body of each webview. */
const OF_VSCODE = /^vscode-/;

/** Files below `folder` whose names match, with their text. */
function textsOf(folder: string, name: RegExp): { readonly file: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => ({ file: join(folder, file), text: readFileSync(join(folder, file), 'utf8') }));
}

/** Class names in selectors, without comments, strings and declarations. */
function classesOf(css: string): string[] {
  const selectors = css.replaceAll(/\/\*.*?\*\/|\{[^{}]*\}|'[^']*'/gs, ' ');
  return [...selectors.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name ?? '');
}

/** All strings of a source file, including those of types; of a template its fixed parts. */
function stringsOf(source: string): readonly string[] {
  const { code } = transformSync(source, {
    loader: 'tsx',
    jsx: 'preserve',
    supported: { 'template-literal': false },
    legalComments: 'none',
  });
  const literals = [
    ...(code.match(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g) ?? []),
    ...(source.match(/'[\w-]+'/g) ?? []),
  ];
  return literals.map((quoted) => quoted.slice(1, -1));
}

/** Whether a string contains the word, or a template could produce it: `ansi-${colour}`, `${kind}-slot`. */
function userOf(strings: readonly string[]): (name: string) => boolean {
  const words = new Set(strings.join('\n').match(/[\w-]+/g));
  const beginnings = strings.flatMap((text) => text.match(/[a-z][\w-]*-$/i) ?? []);
  const ends = strings.flatMap((text) => text.match(/^-[\w-]+/) ?? []);
  return (name) =>
    words.has(name) ||
    OF_VSCODE.test(name) ||
    beginnings.some((beginning) => name.startsWith(beginning)) ||
    ends.some((end) => name.endsWith(end) && words.has(name.slice(0, -end.length)));
}

describe('style sheets', () => {
  // A class may be named like a state, which `shared` lists.
  const source = ['src/webview', 'src/shared', 'src/ui/chat'].flatMap((folder) => textsOf(folder, /\.tsx?$/));
  const isUsed = userOf(source.flatMap(({ text }) => stringsOf(text)));

  for (const { file, text } of textsOf('media', /\.css$/)) {
    it(`${file.replaceAll('\\', '/')} has no unused selectors`, () => {
      assert.deepEqual([...new Set(classesOf(text))].filter((name) => !isUsed(name)).sort(), []);
    });
  }

  it('fail the check with an unused selector', () => {
    assert.deepEqual(classesOf('.a:is(.b-c, .d) > p { margin: .5em; /* .e */ } @media print { .f { color: red } }'), [
      'a',
      'b-c',
      'd',
      'f',
    ]);
    assert.equal(isUsed('no-such-class'), false);
  });

  it('name what is restyled when a last child is no longer the last', () => {
    // Without a class or a name the browser restyles the whole content of each such element: a table, an answer, a card.
    const isUnbounded = (selector: string): boolean => {
      const [, subject] = /:last-child\S*\s+(?:>\s+)?(\S.*)$/.exec(selector) ?? [];
      return subject !== undefined && !/[.#[]|(?:^|[\s>(])[a-z]/i.test(subject);
    };
    const selectors = textsOf('media', /\.css$/).flatMap(({ text }) =>
      [...text.matchAll(/[^{}]+(?=\{)/g)].flatMap(([list]) => list.split(/,(?![^(]*\))/)),
    );
    const found = selectors.filter(isUnbounded);
    assert.deepEqual(found, []);
    assert.ok(isUnbounded('.a:last-child > :last-child'));
  });

  it('are all imported', () => {
    const entries = ['media/chat.css', 'media/tables.css'];
    const imported = entries.flatMap((entry) =>
      [...readFileSync(entry, 'utf8').matchAll(/@import '\.\/(.+)';/g)].map(([, file]) => `media/${file}`),
    );
    const own = textsOf('media', /\.css$/).map(({ file }) => file.replaceAll('\\', '/'));
    assert.deepEqual(own.filter((file) => !imported.includes(file)).sort(), entries);
  });
});
