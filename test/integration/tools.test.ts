import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { Emitter } from '../../src/base/event';
import type { JsonObject } from '../../src/base/json';
import type { BuiltInServer } from '../../src/mcp/builtin/builtInServers';
import { BuiltInState, builtInServers } from '../../src/mcp/builtin/builtInServers';
import { PROPOSED_SCHEME } from '../../src/mcp/builtin/editor/reviewDiffTool';
import { BUILT_IN_NAMES } from '../../src/mcp/builtin/lazyBuiltIns';
import { z } from '../../src/mcp/contract/mcpServerSdk';
import type { SchemaSource } from '../../src/mcp/contract/toolServerTypes';
import { ToolError } from '../../src/mcp/contract/toolServerTypes';
import type { PromptFileStore } from '../../src/session/promptFiles/promptFileStore';
import type { PendingElicitation, ElicitationRequest } from '../../src/session/sessionHandle';
import type { ScopedSettingsReader } from '../../src/session/settings/scopedSettings';
import type { ApprovalRequest } from '../../src/session/toolServer';
import type { ElicitationAnswer } from '../../src/shared/state/elicitationState';
import type { VirtualFiles } from '../../src/workbench/virtualDocuments';
import { stubOf } from '../kit/stubOf';
import { RecordingSession, nullLogger } from './clientHelp';

/** Answers forms in the order of `answers`. */
class AnsweringSession extends RecordingSession {
  readonly asked: ElicitationRequest[] = [];
  answers: ElicitationAnswer[] = [];

  override elicit(request: ElicitationRequest): PendingElicitation {
    this.asked.push(request);
    return {
      answer: Promise.resolve(this.answers.shift() ?? { action: 'cancel' }),
      complete: () => undefined,
    };
  }
}

const FILES = {
  'tools/shapes.ts': `/** The area of a square. */
export function areaOf(side: number): number {
  return side * side;
}

export interface Shape {
  readonly side: number;
}
`,
  'tools/use.ts': `import { areaOf, type Shape } from './shapes';

export function total(shapes: readonly Shape[]): number {
  return shapes.reduce((sum, { side }) => sum + areaOf(side), 0);
}

export const one = areaOf(1);
`,
  'tools/wrong.ts': `export const count: number = 'three';
`,
};

describe('The tools of the editor', () => {
  const root = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  const session = new AnsweringSession([root]);
  const state = new BuiltInState();
  const edited: string[] = [];
  let approvals: ApprovalRequest[] = [];
  let isApproved = true;
  const changed = new Emitter<void>();
  let servers: readonly BuiltInServer[];
  const makeServers = (proposals: VirtualFiles): readonly BuiltInServer[] =>
    builtInServers(
      state,
      proposals,
      stubOf<ScopedSettingsReader<'tools.ide'>>({
        scoped: () => ({ user: [], workspace: undefined, folders: [] }),
        onDidChange: changed.event,
      }),
      (_sessionId, paths, write) => {
        edited.push(...[paths].flat());
        return write();
      },
      stubOf<PromptFileStore>({ all: () => [], onDidChange: changed.event }),
      nullLogger,
    );

  const call = async (server: string, name: string, input: JsonObject = {}): Promise<JsonObject> => {
    const tool = servers.find((one) => one.server.name === server)!.server.tools.find((one) => one.name === name)!;
    const parsed = zodOf(tool.input).parse(input);
    const result = await tool.call(parsed, {
      session,
      signal: new AbortController().signal,
      progress: () => undefined,
      waitForUser: (answer) => answer,
      approve: async (asked) => {
        approvals.push(asked);
        if (!isApproved) throw new ToolError('It was not allowed.');
      },
    });
    assert.ok(result.text.length > 0);
    return zodOf(tool.output!).parse(result.structured) as JsonObject;
  };

  /** Requests problems until the language servers are ready; tool results tell agents to retry in the same way. */
  const settled = async (name: 'list' | 'since', input: JsonObject): Promise<JsonObject> => {
    const answer = await call('problems', name, input);
    return answer['settled'] === true ? answer : settled(name, input);
  };

  /** Requests references until the language server knows them in this number of files. */
  const usedIn = async (place: JsonObject, files: number): Promise<void> => {
    const { by_file } = await call('code', 'references', place);
    if ((by_file as JsonObject[]).length < files) await usedIn(place, files);
  };

  const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

  before(async () => {
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    state.noteTurnStart(session.id);
    // VS Code allows one provider per scheme, and the extension has registered it.
    const api = await vscode.extensions.getExtension<TestApi>('parley.parley')?.activate();
    assert.ok(api);
    const builtIns = await api.mcp.builtIns.load();
    assert.ok(builtIns);
    const names = api.mcp.servers.list().flatMap(({ name, origin }) => (origin === 'builtIn' ? [name] : []));
    assert.deepEqual(names.toSorted(), [...BUILT_IN_NAMES].toSorted());
    servers = makeServers(builtIns.proposals);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    state.dispose();
    await rm(join(root, 'tools'), { recursive: true, force: true });
  });

  beforeEach(() => {
    approvals = [];
    isApproved = true;
    edited.length = 0;
  });

  it('have the names that rules use, and schemas', () => {
    for (const { server } of servers) {
      assert.match(server.name, /^[a-z]+$/);
      for (const { name, description, input, output } of server.tools) {
        assert.match(name, /^[a-z_]+$/);
        assert.ok(description.length > 10 && output && input);
      }
    }
  });

  it('are all in docs/tools.md', async () => {
    const page = await readFile(
      join(vscode.extensions.getExtension('parley.parley')!.extensionPath, 'docs/tools.md'),
      'utf8',
    );
    const rows = new Map(page.split('\n').map((row) => [/^\| `(\w+)`/.exec(row)?.[1], row]));
    for (const { server, isOn } of servers) {
      const row = rows.get(server.name) ?? '';
      assert.equal(!row.includes('(off)'), isOn, server.name);
      for (const { name } of server.tools) assert.ok(row.includes(`\`${name}\``), `${server.name}__${name}`);
    }
  });

  it('list problems of a file, and those that an edit fixed', async () => {
    const listed = await settled('list', { paths: ['tools/wrong.ts'] });
    const [problem] = listed['problems'] as JsonObject[];
    assert.equal(problem?.['path'], 'tools/wrong.ts');
    assert.equal(problem?.['severity'], 'error');
    assert.equal(problem?.['line'], 1);
    assert.equal(problem?.['code'], '2322');
    // As an agent does: on disk, without notifying the editor.
    await writeFile(join(root, 'tools/wrong.ts'), 'export const count: number = 3;\n');
    const since = await settled('since', { baseline: String(listed['baseline']), paths: ['tools/wrong.ts'] });
    assert.deepEqual(
      (since['fixed'] as JsonObject[]).map(({ code }) => code),
      ['2322'],
    );
    assert.deepEqual(since['new'], []);
    await writeFile(
      join(root, 'tools/wrong.ts'),
      'export const count: number = true;\nexport const other: string = 1;\n',
    );
    const broken = await settled('since', { paths: ['tools/wrong.ts'] });
    assert.deepEqual(
      (broken['new'] as JsonObject[]).map(({ line }) => line),
      [1, 2],
    );
    await assert.rejects(call('problems', 'since', { baseline: 'b999' }), /no baseline "b999"/);
  });

  it('list the symbols of a file and of the workspace', async () => {
    const outline = await call('code', 'outline', { path: 'tools/shapes.ts' });
    const names = (outline['symbols'] as JsonObject[]).map(({ name, kind, line }) => [line, kind, name].join(' '));
    assert.deepEqual(names.slice(0, 2), ['2 function areaOf', '6 interface Shape']);
    const found = await call('code', 'find_symbol', { query: 'areaOf', path_glob: 'tools/**' });
    assert.equal((found['symbols'] as JsonObject[])[0]?.['path'], 'tools/shapes.ts');
  });

  it('find definitions, uses, types and callers by name and line, without columns', async () => {
    const place = { path: 'tools/use.ts', symbol: 'areaOf', line: 7 };
    const definition = await call('code', 'definition', place);
    const [location] = definition['locations'] as JsonObject[];
    assert.deepEqual([location?.['path'], location?.['line']], ['tools/shapes.ts', 2]);
    assert.match(String(location?.['snippet']), /return side \* side/);
    const references = await call('code', 'references', { ...place, include_declaration: false });
    const files = (references['by_file'] as JsonObject[]).map(({ path, items }) =>
      [path, (items as []).length].join(' '),
    );
    assert.deepEqual(files, ['tools/use.ts 3']);
    const hover = await call('code', 'hover', place);
    assert.match(String(hover['text']), /The area of a square/);
    const calls = await call('code', 'calls', { ...place, direction: 'incoming' });
    assert.match(JSON.stringify(calls['nodes']), /"name":"total"/);
    await assert.rejects(call('code', 'hover', { ...place, line: 2 }), /no "areaOf" on line 2.*line 1, 4, 7/s);
    await assert.rejects(call('code', 'hover', { path: '/etc/passwd', symbol: 'root' }), /not in the workspace/);
  });

  it('rename in all files in one step after a preview, and change nothing without approval', async () => {
    const place = { path: 'tools/shapes.ts', symbol: 'areaOf' };
    // Without a tsconfig.json, TypeScript knows the uses in files that have been opened.
    await vscode.workspace.openTextDocument(join(root, 'tools/use.ts'));
    await usedIn(place, 2);
    const preview = await call('refactor', 'rename', { ...place, new_name: 'squareOf', preview: true });
    assert.equal(preview['applied'], false);
    assert.match(await read('tools/use.ts'), /areaOf\(1\)/);
    isApproved = false;
    await assert.rejects(call('refactor', 'apply', { id: String(preview['change_id']) }), /not allowed/);
    assert.match(await read('tools/use.ts'), /areaOf\(1\)/);
    isApproved = true;
    const applied = await call('refactor', 'apply', { id: String(preview['change_id']) });
    assert.deepEqual(applied['files'], preview['files']);
    assert.match(approvals.at(-1)!.title, /^Rename areaOf to squareOf in 2 files/);
    assert.deepEqual(
      edited.toSorted(),
      ['shapes.ts', 'use.ts'].map((name) => join(root, 'tools', name)),
    );
    assert.match(await read('tools/use.ts'), /squareOf\(1\)/);
    assert.match(await read('tools/shapes.ts'), /function squareOf/);
    await assert.rejects(call('refactor', 'apply', { id: String(preview['change_id']) }), /no change/);
    const back = await call('refactor', 'rename', { ...place, symbol: 'squareOf', new_name: 'areaOf' });
    assert.deepEqual(back['problems_after'], []);
    assert.match(await read('tools/use.ts'), /areaOf\(1\)/);
  });

  it('do not save unsaved text of the user', async () => {
    // In a browser VS Code saves automatically after a second.
    const files = vscode.workspace.getConfiguration('files');
    await files.update('autoSave', 'off', vscode.ConfigurationTarget.Global);
    const document = await vscode.workspace.openTextDocument(join(root, 'tools/use.ts'));
    const editor = await vscode.window.showTextDocument(document);
    const dirty = becomesDirty(document);
    await editor.edit((builder) => builder.insert(new vscode.Position(document.lineCount, 0), '// mine\n'));
    await dirty;
    const renamed = await call('refactor', 'rename', {
      path: 'tools/shapes.ts',
      symbol: 'areaOf',
      new_name: 'squared',
    });
    assert.deepEqual(renamed['unsaved'], ['tools/use.ts']);
    assert.equal(document.isDirty, true);
    assert.match(document.getText(), /squared\(1\)[^]*\/\/ mine/);
    assert.doesNotMatch(await read('tools/use.ts'), /mine/);
    await document.save();
    await call('refactor', 'rename', { path: 'tools/shapes.ts', symbol: 'squared', new_name: 'areaOf' });
    await files.update('autoSave', undefined, vscode.ConfigurationTarget.Global);
  });

  it('offer fixes by handles of their session, and format', async () => {
    await writeFile(join(root, 'tools/messy.ts'), 'const value = 2;\nexport const  a   =  valeu\n');
    await call('problems', 'list', { paths: ['tools/messy.ts'] });
    const offered = await call('refactor', 'actions', { path: 'tools/messy.ts', line: 2, kind: 'quickfix' });
    const fix = (offered['actions'] as JsonObject[]).find(({ title }) => /spelling/i.test(String(title)));
    assert.ok(fix, JSON.stringify(offered));
    const applied = await call('refactor', 'apply', { id: String(fix['action_id']) });
    assert.equal(applied['applied'], true);
    assert.match(await read('tools/messy.ts'), /= {2}value/);
    const formatted = await call('refactor', 'format', { paths: ['tools/messy.ts'] });
    assert.deepEqual(formatted['files'], [{ path: 'tools/messy.ts', changed: true }]);
    assert.match(await read('tools/messy.ts'), /export const a = value/);
  });

  it('list the visible editors, and show a file without taking the focus', async () => {
    const opened = await call('editor', 'open', { path: 'tools/use.ts', line: 3 });
    assert.deepEqual(opened, { path: 'tools/use.ts', line: 3 });
    await assert.rejects(call('editor', 'open', { path: 'tools/use.ts' }), /One file a second/);
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.path.endsWith('tools/use.ts'))!;
    await vscode.window.showTextDocument(editor.document, { selection: new vscode.Range(2, 0, 2, 6) });
    const state = await call('editor', 'state');
    assert.deepEqual(state['active'], { path: 'tools/use.ts', line: 3, end_line: 3, selected_text: 'export' });
    assert.ok((state['tabs'] as string[]).includes('tools/use.ts'));
  });

  it('list pending changes as a resource', async () => {
    const { resources = [] } = servers.find(({ server }) => server.name === 'editor')!.server;
    const changes = resources.find(({ uri }) => uri === 'ide://changes')!;
    assert.equal(await changes.read(session), 'Nothing waits for review.');
    const file = { path: join(root, 'tools/use.ts'), label: 'tools/use.ts', added: 3, removed: 1, binary: false };
    session.dispatch({ type: 'changesChanged', changed: [{ ...file, status: 'changed' }], removed: [] });
    assert.equal(await changes.read(session), 'changed tools/use.ts +3 -1');
    session.dispatch({ type: 'changesChanged', changed: [], removed: [file.path] });
  });

  it('propose text in a diff, and return the text that the user edited', async () => {
    const files = [{ path: 'tools/new.ts', new_text: 'export const fresh = 1;\n' }];
    isApproved = false;
    const rejected = await call('editor', 'review', { title: 'A new file', files });
    assert.equal(rejected['decision'], 'rejected');
    await assert.rejects(read('tools/new.ts'));
    isApproved = true;
    const accepted = await call('editor', 'review', { title: 'A new file', files });
    assert.equal(accepted['decision'], 'accepted');
    assert.equal(await read('tools/new.ts'), 'export const fresh = 1;\n');
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    assert.ok(
      !tabs.some(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.scheme === PROPOSED_SCHEME),
    );
  });

  it('open notebooks as text, which runs no scripts of their outputs', async () => {
    const notebook = (text: string): string => {
      const outputs = [
        { output_type: 'display_data', metadata: {}, data: { 'text/html': [`<script>${text}</script>`] } },
      ];
      const cell = { cell_type: 'code', metadata: {}, execution_count: 1, source: ['1'], outputs };
      return JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 2 });
    };
    const path = 'tools/cells.ipynb';
    await writeFile(join(root, path), notebook('1'));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const opened: unknown[] = [];
    const listening = vscode.window.tabGroups.onDidChangeTabs((event) =>
      opened.push(...event.opened.map(({ input }) => input)),
    );
    try {
      await call('problems', 'list', { paths: [path] });
      isApproved = false;
      await call('editor', 'review', { title: 'Report', files: [{ path, new_text: notebook('2') }] });
    } finally {
      listening.dispose();
    }
    assert.ok(opened.some((input) => input instanceof vscode.TabInputTextDiff));
    for (const input of opened)
      assert.ok(input instanceof vscode.TabInputText || input instanceof vscode.TabInputTextDiff, String(input));
  });

  it('ask the user', async () => {
    session.answers = [{ action: 'accept', content: { choice: 'Blue' } }, { action: 'decline' }];
    const answered = await call('user', 'ask', { question: 'Which colour?', options: ['Red', 'Blue'] });
    assert.deepEqual(answered, { answer: 'Blue', dismissed: false });
    assert.equal(session.asked[0]?.message, 'Which colour?');
    assert.deepEqual(await call('user', 'ask', { question: 'Why?' }), { dismissed: true });
  });
});

/** Settles when VS Code reports that a document has unsaved text, which is after its change event. */
function becomesDirty(document: vscode.TextDocument): Promise<void> {
  return new Promise((resolve) => {
    const listening = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document !== document || !document.isDirty) return;
      listening.dispose();
      resolve();
    });
  });
}

interface Parser {
  parse(value: unknown): unknown;
}

function zodOf(source: SchemaSource): Parser {
  assert.equal(typeof source, 'function');
  return (source as (zod: typeof z) => Parser)(z);
}
