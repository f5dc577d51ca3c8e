import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { linkTarget } from '../../../../../src/ui/chat/content/linkTarget';

const folder = resolve('/work space');
const absolute = resolve('/somewhere/a.ts');
const target = (href: string) => linkTarget(href, folder);

describe('ui/chat/content/linkTarget', () => {
  it('accepts web pages and email addresses', () => {
    assert.deepEqual(target('https://example.test/a?b=%2F#c'), { type: 'web', url: 'https://example.test/a?b=%2F#c' });
    assert.deepEqual(target(' HTTP://Example.test '), { type: 'web', url: 'http://example.test/' });
    assert.deepEqual(target('mailto:a@example.test'), { type: 'mail', url: 'mailto:a@example.test' });
  });

  it('finds files, with their line and column', () => {
    const path = resolve(folder, 'src/a b.ts');
    assert.deepEqual(target('src/a b.ts'), { type: 'file', path });
    assert.deepEqual(target('src/a%20b.ts:12'), { type: 'file', path, line: 12 });
    assert.deepEqual(target('./src/a b.ts:12:3'), { type: 'file', path, line: 12, column: 3 });
    assert.deepEqual(target('src/a b.ts#L12-L20'), { type: 'file', path, line: 12 });
    assert.deepEqual(target('src/a b.ts:40-88'), { type: 'file', path, line: 40 });
    assert.deepEqual(target('a.ts:7'), { type: 'file', path: resolve(folder, 'a.ts'), line: 7 });
    assert.deepEqual(target(`${absolute}:3`), { type: 'file', path: absolute, line: 3 });
    assert.deepEqual(target(`${pathToFileURL(absolute).href}#L9`), { type: 'file', path: absolute, line: 9 });
    assert.deepEqual(target('100%.txt'), { type: 'file', path: resolve(folder, '100%.txt') });
  });

  it('rejects everything else with a reason', () => {
    const refused = [
      '',
      'command:workbench.action.terminal.new',
      'COMMAND:x',
      'vscode://publisher.extension/x',
      'vscode-insiders://x',
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'blob:x',
      'ssh://host',
      'ms-msdt:/id',
      'file://server/share/x',
      '\\\\server\\share\\x',
      '//server/share',
      'https://example.test@evil.test/',
      'https://',
      'file:///a%00b',
      '#anchor',
    ];
    for (const href of refused) {
      const result = target(href);
      assert.equal(result.type, 'refused', `${href}: ${JSON.stringify(result)}`);
      assert.ok(result.type === 'refused' && result.reason.length > 5);
    }
    assert.equal(linkTarget('src/a.ts', undefined).type, 'refused');
  });
});
