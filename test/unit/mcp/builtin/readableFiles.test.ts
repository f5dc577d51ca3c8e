import { editor, Range, showSelected, Uri } from './languageStub';
import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Emitter } from '../../../../src/base/event';
import { codeServer } from '../../../../src/mcp/builtin/code/codeServer';
import { editorServer } from '../../../../src/mcp/builtin/editor/editorServer';
import { notebookServer } from '../../../../src/mcp/builtin/notebook/notebookServer';
import { ProblemBaselines } from '../../../../src/mcp/builtin/problems/problemBaselines';
import { problemsServer } from '../../../../src/mcp/builtin/problems/problemsServer';
import { refactorServer } from '../../../../src/mcp/builtin/refactor/refactorServer';
import * as sdk from '../../../../src/mcp/contract/mcpServerSdk';
import { schemasOf } from '../../../../src/mcp/host/toolSchemas';
import type { Rule } from '../../../../src/permissions/rules/permissionRule';
import type { VirtualFiles } from '../../../../src/workbench/virtualDocuments';
import { stubOf } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { BuiltInBench } from './builtInBench';

const noEvent = new Emitter<void>().event;
const agentEdit = async <T>(_session: string, _paths: unknown, write: () => Promise<T>): Promise<T> => write();

describe('tools of Parley that only read', () => {
  let window: BuiltInBench;
  let folder: string;
  let outside: string;
  let user: Rule[];

  beforeEach(async () => {
    user = [];
    const all = [
      codeServer(),
      editorServer(agentEdit, stubOf<VirtualFiles>({}), noEvent, noEvent),
      notebookServer(agentEdit),
      problemsServer(new ProblemBaselines(), noEvent),
      refactorServer(agentEdit),
    ];
    window = await BuiltInBench.open(all, () => user);
    folder = realpathSync(window.folder);
    outside = temporaryFolder();
    editor.folder = folder;
    editor.answers.clear();
    editor.diagnostics = [];
    editor.active = undefined;
    mkdirSync(join(folder, 'a'));
    for (const [name, text] of [
      ['plain.json', 'PLAIN'],
      ['a/x.json', 'DENIED'],
      ['credentials.json', 'SECRET'],
    ] as const)
      writeFileSync(join(folder, name), `name ${text}-value\n`);
    symlinkSync(join(folder, 'credentials.json'), join(folder, 'linked.json'));
    writeFileSync(join(outside, 'lib.json'), 'name OUTSIDE-value\n');
  });
  afterEach(async () => {
    await window.close();
  });

  const uri = (name: string): Uri => new Uri(name.startsWith('/') ? name : join(folder, name));
  const locations = (...names: string[]): object[] => names.map((name) => ({ uri: uri(name), range: new Range(0, 0) }));

  const shown = (result: unknown): string => JSON.stringify(result);
  const symbol = (name: string) => ({ name, kind: 1, detail: `${name}-detail`, children: [], range: new Range(0, 0) });
  /** Every tool that tells something of a file that the agent names. */
  const NAMED: readonly (readonly [server: string, tool: string, (path: string) => object])[] = [
    ['code', 'outline', (path) => ({ path })],
    ['code', 'definition', (path) => ({ path, symbol: 'name' })],
    ['code', 'references', (path) => ({ path, symbol: 'name' })],
    ['code', 'hover', (path) => ({ path, symbol: 'name' })],
    ['code', 'calls', (path) => ({ path, symbol: 'name', direction: 'incoming' })],
    ['code', 'types', (path) => ({ path, symbol: 'name', direction: 'sub' })],
    ['notebook', 'read', (path) => ({ path })],
    ['problems', 'list', (path) => ({ paths: [path] })],
    ['refactor', 'actions', (path) => ({ path, line: 1 })],
  ];

  beforeEach(() => {
    editor.answers.set('vscode.executeDocumentSymbolProvider', [symbol('TOKEN')]);
    editor.answers.set('vscode.executeHoverProvider', [{ contents: ['TOKEN-hover'] }]);
    editor.answers.set('vscode.executeDefinitionProvider', locations('plain.json'));
    editor.answers.set('vscode.executeReferenceProvider', locations('plain.json'));
    editor.answers.set('vscode.executeCodeActionProvider', [{ title: 'TOKEN-action' }]);
    const item = { name: 'TOKEN', uri: uri('plain.json'), selectionRange: new Range(0, 0) };
    for (const kind of ['Call', 'Type']) editor.answers.set(`vscode.prepare${kind}Hierarchy`, [item]);
  });

  it('ask nothing about ordinary files', async () => {
    for (const [server, tool, input] of NAMED) {
      const result = await window.call(server, tool, input('plain.json'));
      assert.notEqual(result.isError, true, `${tool}: ${result.text}`);
      assert.doesNotMatch(result.text, /Left out/);
    }
    assert.deepEqual(window.titles, []);
  });

  it('ask before they tell something of credentials, also behind a link', async () => {
    for (const path of ['credentials.json', 'linked.json'])
      for (const [server, tool, input] of NAMED) {
        window.asked.length = 0;
        const result = await window.call(server, tool, input(path));
        assert.deepEqual(window.titles, [`Read ${path}`], tool);
        assert.match(result.text, /was not read: the user rejected it/, tool);
        assert.doesNotMatch(shown(result), /SECRET|TOKEN/, tool);
      }
    window.answer = 'allowOnce';
    assert.match(shown(await window.call('code', 'outline', { path: 'credentials.json' })), /TOKEN-detail/);
  });

  it('tell nothing of files that a rule denies', async () => {
    user = [{ decision: 'deny', path: 'a/**', kind: 'read' }];
    for (const [server, tool, input] of NAMED) {
      const result = await window.call(server, tool, input('a/x.json'));
      assert.match(result.text, /denied by your rule/, tool);
      assert.doesNotMatch(shown(result), /DENIED|TOKEN/, tool);
    }
    assert.deepEqual(window.titles, []);
  });

  it('are denied or asked about by rules for the tool and for each of its arguments', async () => {
    user = [{ decision: 'deny', tool: 'code__*' }];
    assert.match(
      (await window.call('code', 'outline', { path: 'plain.json' })).text,
      /code__outline was not allowed: denied/,
    );
    assert.notEqual((await window.call('notebook', 'read', { path: 'plain.json' })).isError, true);
    user = [{ decision: 'deny', path: 'a/**' }];
    const search = { query: 'x', path_glob: 'a/*.json' };
    assert.match((await window.call('code', 'find_symbol', search)).text, /was not allowed: denied/);
    user = [{ decision: 'ask', tool: 'code__outline' }];
    await window.call('code', 'outline', { path: 'plain.json' });
    assert.deepEqual(window.titles, ['Outline of a file']);
    user = [{ decision: 'deny', command: 'rm *' }];
    const text = { path: 'plain.json', symbol: 'name', line_text: '  // name = (x) => "../../etc/passwd' };
    assert.match((await window.call('code', 'hover', text)).text, /There is no "name"/);
  });

  it('look up no long name, and none in a very long file', async () => {
    writeFileSync(join(folder, 'long.txt'), 'a '.repeat(2_500_000));
    const input = { path: 'long.txt', symbol: 'a', line: 9 };
    assert.match((await window.call('code', 'hover', input)).text, /too long to find a name/);
    const rename = window.server('refactor').tools.find(({ name }) => name === 'rename') ?? assert.fail();
    const schema = schemasOf(sdk, rename).input;
    for (const [more, isValid] of [
      [{}, true],
      [{ new_name: 'c'.repeat(1_001) }, false],
      [{ symbol: 'c'.repeat(1_001) }, false],
      [{ line_text: 'c'.repeat(1_001) }, false],
    ] as const) {
      const checked = await schema['~standard'].validate({ path: 'a', symbol: 'b', new_name: 'c', ...more });
      assert.equal(checked.issues === undefined, isValid, JSON.stringify(more).slice(0, 20));
    }
  });

  it('leave out what they find in files that would be asked about or denied, and say so', async () => {
    user = [{ decision: 'deny', path: 'a/**' }];
    const found = locations('plain.json', 'credentials.json', 'a/x.json', join(outside, 'lib.json'));
    editor.answers.set('vscode.executeDefinitionProvider', found);
    editor.answers.set('vscode.executeReferenceProvider', found);
    const symbols = ['plain.json', 'credentials.json', 'a/x.json'].map((name) => ({
      name: name.toUpperCase(),
      kind: 1,
      containerName: '',
      location: { uri: uri(name), range: new Range(0, 0) },
    }));
    editor.answers.set('vscode.executeWorkspaceSymbolProvider', symbols);
    editor.diagnostics = found.slice(0, 3).map((_, at) => {
      const file = uri(['plain.json', 'credentials.json', 'a/x.json'][at] ?? '');
      const message = ['PLAIN-value', 'SECRET-value', 'DENIED-value'][at] ?? '';
      return [file, [{ message, range: new Range(0, 0), severity: 0 }]];
    });
    const place = { path: 'plain.json', symbol: 'name' };
    for (const [server, tool, input] of [
      ['code', 'definition', place],
      ['code', 'references', place],
      ['code', 'find_symbol', { query: 'json' }],
      ['problems', 'list', {}],
    ] as const) {
      const result = await window.call(server, tool, input);
      assert.match(shown(result), /PLAIN/, tool);
      assert.doesNotMatch(JSON.stringify(result.structured), /SECRET|DENIED|CREDENTIALS|OUTSIDE|X\.JSON/, tool);
      assert.match(result.text, /Left out: .*credentials\.json \([^)]*contains credentials/, tool);
      assert.match(result.text, /Left out: .*a\/x\.json \(a rule denies reading it\)/, tool);
    }
    const hover = await window.call('code', 'hover', place);
    assert.doesNotMatch(hover.text, /TOKEN-hover/);
    assert.match(hover.text, /Left out: credentials\.json/);
    const resources = window.server('problems').resources ?? [];
    const problems = shown(await resources[0]?.read(window.session));
    assert.match(problems, /PLAIN-value[^]*Left out/);
    assert.doesNotMatch(problems, /SECRET|DENIED/);
    assert.deepEqual(window.titles, []);
  });

  it('tell of a definition outside the workspace only its place', async () => {
    editor.answers.set('vscode.executeDefinitionProvider', locations(join(outside, 'lib.json')));
    const place = { path: 'plain.json', symbol: 'name' };
    const { text, structured } = await window.call('code', 'definition', place);
    assert.deepEqual(structured?.['locations'], [{ path: join(outside, 'lib.json'), line: 1, text: '', snippet: '' }]);
    assert.match(text, /Left out: .*outside the workspace/);
    assert.match((await window.call('code', 'hover', place)).text, /^TOKEN-hover$/);
  });

  it('do not tell what is selected in credentials', async () => {
    const [selection] = window.server('editor').resources ?? [];
    showSelected(join(folder, 'plain.json'));
    assert.match(shown(await window.call('editor', 'state', {})), /PLAIN-value/);
    assert.match(shown(await selection?.read(window.session)), /PLAIN-value/);
    showSelected(join(folder, 'credentials.json'));
    const state = await window.call('editor', 'state', {});
    assert.doesNotMatch(shown(state), /SECRET/);
    assert.match(state.text, /Left out: credentials\.json/);
    assert.doesNotMatch(shown(await selection?.read(window.session)), /SECRET/);
  });
});
