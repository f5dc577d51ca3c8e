import assert from 'node:assert/strict';
import { decide } from '../../../src/permissions/rules/decide';
import type { Rule } from '../../../src/permissions/rules/permissionRule';
import { argumentFacts } from '../../../src/permissions/subject/callRequest';

/** The decision about a call of a tool that a rule allows, in the folder `/ws`. */
function decisionOf(args: unknown, ...rules: readonly Rule[]): string {
  const all: readonly Rule[] = [{ decision: 'allow', tool: 'files__*' }, ...rules];
  const facts = argumentFacts(args, '/ws', 'posix');
  const request = {
    kind: 'other' as const,
    title: 'Save',
    agent: 'a',
    tool: 'files__save',
    folders: ['/ws'],
    ...facts,
  };
  const { decision } = decide(
    request,
    all.map((rule) => ({ rule, source: 'user' })),
  );
  return facts.hasUnresolved && decision === 'allow' ? 'ask' : decision;
}

/** A path in the arguments. */
const FORMS: Readonly<Record<string, (path: string) => unknown>> = {
  JSON: (path) => ({ args: JSON.stringify({ path }) }),
  'JSON in JSON': (path) => ({ args: JSON.stringify({ more: JSON.stringify([{ to: path }]) }) }),
  'JSON in the name of a field': (path) => ({ [JSON.stringify([path])]: 1 }),
  'a JSON string': (path) => ({ args: JSON.stringify(path) }),
  'JSON lines': (path) => ({ args: `${JSON.stringify({ id: 1 })}\n${JSON.stringify({ path })}\n` }),
  'JSON with escapes': (path) => ({ args: `{"path": "${path.replaceAll('/', String.raw`\u002f`)}"}` }),
  'JSON with a comment': (path) => ({ args: `{ // x\n"path": "${path}", }` }),
  'JSON with other quotes': (path) => ({ args: `{'path': '${path}'}` }),
  'JSON without an end': (path) => ({ args: `{"path": "${path}` }),
  'a file URL': (path) => ({ where: new URL(`file:///ws/`).href + (path.startsWith('/') ? `../..${path}` : path) }),
  'a file URL in a text': (path) => ({ text: `See [it](file://${path.startsWith('/') ? path : `/ws/${path}`}).` }),
  'a URL of VS Code': (path) => ({ uri: `vscode-file://vscode-app${path.startsWith('/') ? path : `/ws/${path}`}` }),
  'an encoded path': (path) => ({ path: path.replaceAll('/', '%2f').replaceAll('.', '%2E') }),
  'a path that is encoded twice': (path) => ({
    path: encodeURIComponent(path.replaceAll('/', '%2F')).replace('.', '%2e'),
  }),
  'a path with a wrong code': (path) => ({ path: `${path.replace('.', '%2e')}%2f%zz/..` }),
  'a line of a file': (path) => ({ at: `${path}:3` }),
  'lines of a file': (path) => ({ at: `${path}:3:5-9` }),
  'an anchor': (path) => ({ at: `${path}#L3-L5` }),
  'a place in brackets': (path) => ({ at: `${path}(3,5)` }),
  'a list with commas': (path) => ({ files: `a,b, ${path} ,c` }),
  'a list with semicolons': (path) => ({ files: `a;${path}` }),
  'a list with spaces': (path) => ({ files: `src/a.ts ${path} b.ts` }),
  'a list of lines': (path) => ({ files: `src/a.ts\n${path}\nMakefile` }),
  'a list in quotes': (path) => ({ files: `"a.ts", "${path}"` }),
  'a list with other commas': (path) => ({ files: `a，${path}、b` }),
  'the part before a zero byte': (path) => ({ path: `${path}\0.txt` }),
  'a file of a patch': (path) => ({ patch: `*** Begin Patch\n*** Update File: ${path}\n+x\n` }),
  'a new file of a diff': (path) => ({ patch: `--- a/x.ts\n+++ ${path.startsWith('/') ? '' : 'b/'}${path}\n@@\n+x\n` }),
  XML: (path) => ({ edit: `<edit>\n  <path>${path}</path>\n  <text>Hi there</text>\n</edit>` }),
  'XML with entities': (path) => ({
    edit: `<path>${Array.from(path, (c) => `&#${c.charCodeAt(0)};`).join('')}</path>`,
  }),
  'an attribute of XML': (path) => ({ edit: `<file path="${path}" mode='w'/>` }),
  CDATA: (path) => ({ edit: `<edit><path><![CDATA[${path}]]></path></edit>` }),
  'a field of YAML': (path) => ({ edit: `# Edit\npath: "${path}" # here\ntext: |\n  Hi there\n` }),
  'an item of YAML': (path) => ({ edit: `mode: w\nfiles:\n  - ${path}\n  - a.ts\n` }),
  'an object of YAML': (path) => ({ edit: `{path: ${path}, mode: w}` }),
  'a field of TOML': (path) => ({ edit: `[edit]\npath = '${path}'\nmode = "w"` }),
  'a query': (path) => ({ edit: `?path=${encodeURIComponent(path)}&mode=w` }),
  Base64: (path) => ({ edit: Buffer.from(JSON.stringify({ path })).toString('base64') }),
  'Base64 of URLs': (path) => ({ edit: Buffer.from(`path: ${path}\n`).toString('base64url') }),
  'hexadecimal digits': (path) => ({ edit: Buffer.from(JSON.stringify({ path })).toString('hex') }),
  'a data URL': (path) => ({
    edit: `data:application/json;base64,${Buffer.from(JSON.stringify([path])).toString('base64')}`,
  }),
  'an encoded data URL': (path) => ({ edit: `data:application/json,${encodeURIComponent(JSON.stringify([path]))}` }),
  'a URL of another scheme': (path) => ({ edit: `workspace://${path}` }),
  'an address in XML': (path) => ({ edit: `<a href="${path}"/>` }),
  'an element of XML': (path) => ({ edit: `<a>${path}</a>` }),
  'a list in a field of YAML': (path) => ({ edit: `a: [${path}, b]` }),
  'an object in a field of YAML': (path) => ({ edit: `a: {b: ${path}}\nc: d\n` }),
  'a folded text of YAML': (path) => ({ edit: `path: >-\n  ${path}\nmode: w\n` }),
  'a text of YAML below its field': (path) => ({ edit: `path:\n  ${path}\n` }),
  'a value of YAML with a tag': (path) => ({ edit: `path: !!str ${path}` }),
  'a value of YAML with an anchor': (path) => ({ edit: `path: &x "${path}"` }),
  'a key of YAML': (path) => ({ edit: `? ${path}\n: x\n` }),
  'an inline table of TOML': (path) => ({ edit: `x = { p = "${path}", mode = "w" }` }),
  'a long string of TOML': (path) => ({ edit: `mode = "w"\npath = """\n${path}"""\n` }),
  'Base64 with a mark': (path) => ({ edit: `base64:${Buffer.from(`path: ${path}\n`).toString('base64')}` }),
  'Base64 of Base64': (path) => ({
    edit: Buffer.from(Buffer.from(`path: ${path}\n`).toString('base64')).toString('base64'),
  }),
  'a path with a query': (path) => ({ edit: `${path}?x=1` }),
  'a path after hidden characters': (path) => ({ edit: `\u200b\u0085${path}\u200b` }),
  'an option': (path) => ({ edit: `--file ${path} --mode w` }),
  'a value': (path) => ({ option: `--path=${path}` }),
};

const PATHS = ['package.json', '.git/config', '/etc/passwd', '../x'];

describe('the arguments of a tool', () => {
  for (const [form, args] of Object.entries(FORMS)) {
    it(`name a protected or outside file, and one of a rule, as ${form}`, () => {
      for (const path of PATHS) assert.equal(decisionOf(args(path)), 'ask', path);
      assert.equal(decisionOf(args('secret/key.ts'), { decision: 'deny', path: 'secret/**' }), 'deny');
      assert.equal(decisionOf(args('/opt/key.ts'), { decision: 'deny', path: '/opt/**' }), 'deny');
      assert.equal(decisionOf(args('src/a.ts')), 'allow');
    });
  }

  for (const path of [
    '~/x',
    '~root/x',
    'C:\\Users\\x',
    'C:/Users/x',
    'C:..\\x',
    '..\\x',
    '\\\\host\\share',
    '$HOME/x',
    '${env:HOME}/x',
    '%TEMP%\\x',
    '$HOME',
    '`pwd`/x',
    'src/$X/../../y',
    'src/{a,../..}/y',
    'file://host/share',
    'jar:file:///opt/a.jar!/x',
  ]) {
    it(`name a file outside as ${path}, also in JSON and in a list`, () => {
      for (const args of [{ path }, { args: JSON.stringify({ path }) }, { files: `a.ts, ${path}` }])
        assert.equal(decisionOf(args), 'ask', JSON.stringify(args));
    });
  }

  it('name commands in JSON', () => {
    const deny: Rule = { decision: 'deny', command: 'rm **' };
    for (const args of [{ command: 'rm', args: ['-r', 'x'] }, ['rm', '-r', 'x'], { steps: ['cd a && rm x'] }])
      assert.equal(decisionOf({ args: JSON.stringify(args) }, deny), 'deny', JSON.stringify(args));
  });

  for (const path of ['ws:///package.json', 'ws:///opt/a', '<package.json>', '<../x>'])
    it(`name a file as ${path}`, () => assert.equal(decisionOf({ path }), 'ask'));

  for (const args of [
    { program: 'git', args: ['push', '-f'] },
    { argv: ['push', '-f'], exe: 'git' },
    { command: 'git', args: 'push' },
    { command: 'git', arguments: ['push'], cwd: 'src' },
    { steps: [{ label: 'x', program: 'git', sub: 'push', args: [] }] },
    { run: 'git%20push' },
    { run: Buffer.from('git push').toString('base64') },
    { run: '!git push' },
    { run: '> git push' },
    { run: 'all:\n\t@git push\n' },
  ])
    it(`name a command as ${JSON.stringify(args)}`, () => {
      const deny: Rule = { decision: 'deny', command: 'git push **' };
      assert.equal(decisionOf(args, deny), 'deny');
      const plain = JSON.stringify(args).replace('push', 'status');
      if (plain.includes('status')) assert.equal(decisionOf(JSON.parse(plain), deny), 'allow');
    });

  it('may name a command in more fields of an object than are joined', () => {
    const deny: Rule = { decision: 'deny', command: 'git push **' };
    const fields = Object.fromEntries(Array.from('abcdefgh', (name) => [name, 'x']));
    const wide = { program: 'git', args: ['push'], ...fields };
    assert.deepEqual([decisionOf(wide, deny), decisionOf(wide), decisionOf(fields, deny)], ['ask', 'allow', 'allow']);
    assert.equal(decisionOf([wide, { program: 'git', args: ['push'] }], deny), 'deny');
  });

  it('are harmless if they are texts that only mention files', () => {
    for (const text of [
      'Describe package.json and its scripts',
      'How do I read a file/folder?',
      'import { x } from "../x";\nconst route = "/api/users";\n',
      '<p>One</p>\n</div>\n// comment\n/* more */\n',
      '{"name": "x", "main": "./dist/x.js", "homepage": "https://example.com/etc/x"}',
      '1,2,3\n4,5,6',
      'at 10:30, see a:b',
      'https://example.com/package.json?a=%2Fetc',
      'half of 1 / 2',
      '<html><a href="/etc/x">One</a><script src="../x.js"></script><p class="/x">See it.</p></html>',
      'fix: read ../x if package.json is missing\n\nIt failed before.\n',
      'def read():\n    path = "/etc/x"\n',
      'c2VjcmV0 YWJj',
      '0123456789abcdef0123456789abcdef01234567',
      'postgres://localhost/db',
    ])
      assert.equal(decisionOf({ text }), 'allow', text);
  });

  describe('with many parts', () => {
    const many = <T>(count: number, item: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => item(at));
    const deny: Rule = { decision: 'deny', command: 'git push **' };

    for (const [name, args] of Object.entries({
      'long lists': { v: many(49, (at) => many(100, () => `argument${at}`)) },
      'long strings': { v: many(999, (at) => `word${at} `.repeat(100)) },
      'objects of several fields': {
        v: many(600, () => ({ a: 'bbb'.repeat(9), c: ['ddd', 'eee'], f: 'ggg', h: 'iii', j: 'kkk' })),
      },
    }))
      it(`do not count as commands beyond a limit: ${name}`, () => {
        const { possibleCommands = [], hasMoreCommands } = argumentFacts(args, '/ws', 'posix');
        const chars = possibleCommands.flatMap(({ line = '', argv = [] }) => [line, ...argv]).join('').length;
        assert.ok(chars <= 20_000, `${chars} characters`);
        assert.equal(hasMoreCommands, true);
        assert.equal(decisionOf(args), 'allow', 'without a rule for commands');
        assert.equal(decisionOf(args, deny), 'ask');
      });

    for (const [name, args] of Object.entries({
      'deep paths': { v: many(480, (at) => `src/${'a/'.repeat(1_000)}${at}`) },
      'deep paths of more than 1,000,000 characters': { v: many(999, (at) => `src/${'a/'.repeat(1_000)}${at}`) },
      fields: Object.fromEntries(many(50_000, (at) => [`k${at}`, 1])),
    }))
      it(`are looked up up to a limit, and ask: ${name}`, () => {
        const facts = argumentFacts(args, '/ws', 'posix');
        const segments = [...facts.paths, ...(facts.possiblePaths ?? [])].join('/').split('/').length;
        assert.ok(segments <= 100_000, `${segments} names`);
        assert.equal(decisionOf(args), 'ask');
      });
  });

  it('ask if they are too large or too deep to read', () => {
    const nested = `${'['.repeat(30)}"x"${']'.repeat(30)}`;
    for (const args of [
      { text: 'x'.repeat(1_000_001) },
      { text: nested },
      { text: `[${'"x",'.repeat(500_000)}"x"]` },
      { text: `[\n/${'x\n/'.repeat(300_000)}` },
      { text: `${'a: b\n'.repeat(30_000)}path: package.json\n` },
      { text: Array.from({ length: 3_000 }, (_, at) => `/ws/${at}`).join(',') },
    ])
      assert.equal(decisionOf(args), 'ask');
  });
});
