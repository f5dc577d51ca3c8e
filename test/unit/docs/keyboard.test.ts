import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as keyboardModule from '../../host/keyboard.mjs';

describe('docs/keyboard.md', () => {
  const text = readFileSync('docs/keyboard.md', 'utf8');

  it('has the keys of package.json (npm run docs:keyboard writes them)', async () => {
    const path = join(process.cwd(), 'test/host/keyboard.mjs');
    const keyboard = (await import(pathToFileURL(path).href)) as typeof keyboardModule;
    assert.equal(text, keyboard.keyboardDocument(process.cwd()));
  });

  it('has no key on a Mac that hides the key to clear the terminal', () => {
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      contributes: { keybindings: { command: string; mac?: string; when?: string }[] };
    };
    const taking = contributes.keybindings.filter(
      ({ mac = '', when = '' }) =>
        mac.startsWith('cmd+k ') && !/editorTextFocus|!isMac \|\| !terminalFocus &&/.test(when),
    );
    assert.deepEqual(taking, []);
  });

  it('names existing page tests for each key, which press the key', () => {
    const rows = text
      .slice(text.indexOf('## In the chat'), text.indexOf('## For screen'))
      .split('\n')
      .filter((line) => /^\| .*`/.test(line))
      .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')));
    assert.ok(rows.length > 12);
    for (const cells of rows) {
      const tests = [...(cells.at(-1) ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => `test/page/${name}.test.ts`);
      assert.ok(tests.length > 0, `no test for ${cells[0]}`);
      for (const path of tests) assert.ok(existsSync(path), `${path}: ${cells[0]}`);
      const code = tests.map((path) => readFileSync(path, 'utf8')).join('\n');
      assert.ok(
        keysOf(cells[0] ?? '').some((key) => code.includes(key)),
        `${tests.join(', ')} presses none of ${cells[0]}`,
      );
    }
  });
});

/** Converts the keys of a table cell to Playwright's names; unknown names stay unchanged. */
function keysOf(cell: string): string[] {
  const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, key]) => key ?? '');
  return names.map((name) =>
    name
      .replace('Ctrl', 'Control')
      .split('+')
      .map((part) => (/^(?:Up|Down|Left|Right)$/.test(part) ? `Arrow${part}` : part))
      .join('+'),
  );
}
