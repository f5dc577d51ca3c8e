import assert from 'node:assert/strict';
import type { ToolEntry } from '../../../../../src/shared/state/toolCallState';
import {
  namesFirst,
  programFirst,
  relativeTitle,
  splitPath,
} from '../../../../../src/webview/chat/toolCalls/toolCallTitle';

type Titled = Pick<ToolEntry, 'title' | 'tool' | 'locations' | 'content'>;

const entry = (title: string, ...files: readonly [string, string][]): Titled => ({
  title,
  tool: 'read',
  locations: files.map(([path, label]) => ({ path, label })),
  content: [],
});

describe('webview/chat/toolCalls/toolCallTitle', () => {
  it('splits a path into name and folder', () => {
    assert.deepEqual(splitPath('src/a.ts'), { name: 'a.ts', folder: 'src' });
    assert.deepEqual(splitPath('C:\\x\\a.ts'), { name: 'a.ts', folder: 'C:\\x' });
    assert.deepEqual(splitPath('src/lib/'), { name: 'lib/', folder: 'src' });
    assert.deepEqual(splitPath('a.ts'), { name: 'a.ts', folder: '' });
    assert.deepEqual(splitPath('/'), { name: '/', folder: '' });
  });

  const relative: readonly (readonly [string, Titled, string | undefined, string])[] = [
    [
      'of its location',
      entry('Read /w/src/a.ts (1 - 9)', ['/w/src/a.ts', 'src/a.ts']),
      undefined,
      'Read src/a.ts (1 - 9)',
    ],
    ['beside its location', entry('Grep x in /w/src', ['/w/src/a.ts', 'src/a.ts']), undefined, 'Grep x in src'],
    ['in the folder of the session', entry('List `/w/src`'), '/w', 'List `src`'],
    ['but not of another folder', entry('Read /w2/a.ts, /x/w/a.ts and /w'), '/w', 'Read /w2/a.ts, /x/w/a.ts and /w'],
    ['but not of an address', entry('Open file:///w/a.ts'), '/w', 'Open file:///w/a.ts'],
    ['on Windows', entry('Read C:\\w\\a.ts', ['C:\\w\\a.ts', 'a.ts']), undefined, 'Read a.ts'],
    [
      'in one of several folders, and not what is beside the folder',
      entry('Grep x in /w/app/src, /w/app/b and /w/secret/c', ['/w/app/src/a.ts', 'app/src/a.ts']),
      '/w/lib',
      'Grep x in app/src, app/b and /w/secret/c',
    ],
    ['outside', entry('Read /etc/hosts', ['/etc/hosts', '/etc/hosts']), '/w', 'Read /etc/hosts'],
  ];
  for (const [name, titled, cwd, title] of relative) {
    it(`makes paths relative ${name}`, () => assert.equal(relativeTitle(titled, cwd), title));
  }

  it('keeps a command unchanged', () => {
    assert.equal(relativeTitle({ ...entry('rm /w/a', ['/w/a', 'a']), tool: 'execute' }, '/w'), 'rm /w/a');
  });

  const programs: readonly (readonly [string, string])[] = [
    ['/usr/bin/node /w/a.js', 'node /w/a.js'],
    ['"/opt/my tools/node" -e "/b"', '"node" -e "/b"'],
    ['C:\\tools\\git.exe log', 'git.exe log'],
    ["'C:/Program Files/git.exe' log", "'git.exe' log"],
    ['./gradlew build', './gradlew build'],
    ['/bin/ls;/bin/rm -r /w', 'ls;/bin/rm -r /w'],
    ['$(/bin/a) /b', '$(/bin/a) /b'],
    ['/', '/'],
  ];
  for (const [command, shown] of programs) {
    it(`shows ${command} without the folder of its program`, () => assert.equal(programFirst(command), shown));
  }

  it('shows the name of a single file instead of its path', () => {
    assert.equal(namesFirst('Read src/a.ts (1)', entry('', ['/w/src/a.ts', 'src/a.ts'])), 'Read a.ts (1)');
    assert.equal(namesFirst('Read src/a.tsx', entry('', ['/w/src/a.ts', 'src/a.ts'])), 'Read src/a.tsx');
    const two = entry('', ['/w/src/a.ts', 'src/a.ts'], ['/w/b.ts', 'b.ts']);
    assert.equal(namesFirst('Read src/a.ts, b.ts', two), 'Read src/a.ts, b.ts');
  });
});
