import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { JsonObject } from '../../src/base/json';
import type { BuiltInServer } from '../../src/mcp/builtin/builtInServers';
import { reviewTool } from '../../src/mcp/builtin/editor/reviewDiffTool';
import { notebookServer } from '../../src/mcp/builtin/notebook/notebookServer';
import { refactorServer } from '../../src/mcp/builtin/refactor/refactorServer';
import type { ApprovalRequest, ToolResult } from '../../src/session/toolServer';
import { temporaryFolder } from '../kit/temporaryFolder';
import { makeInside, RecordingSession, remove, workspaceFolder } from './clientHelp';
import { zodOf } from './toolHelp';

const NOTEBOOK = {
  cells: [{ cell_type: 'code', metadata: {}, execution_count: null, outputs: [], source: ['one'] }],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 2,
};
const PRIVATE = 'private\n';

describe('Tools that write, while their question is open', () => {
  const session = new RecordingSession([workspaceFolder()]);
  const provided: vscode.Disposable[] = [];
  let servers: readonly Pick<BuiltInServer, 'server'>[];
  let folder: string;
  let outside: string;
  let own: string;

  before(async () => {
    const api = await vscode.extensions.getExtension<TestApi>('parley.parley')!.activate();
    own = api.sessions.newChat().id;
    const edit: Parameters<typeof notebookServer>[0] = (_id, paths, write) => api.reviewService.edit(own, paths, write);
    const { proposals } = (await api.mcp.builtIns.load())!;
    servers = [
      { server: notebookServer(edit) },
      { server: refactorServer(edit) },
      { server: { name: 'editor', title: '', description: '', tools: [reviewTool(edit, proposals)] } },
    ];
  });

  beforeEach(async () => {
    folder = await makeInside('toolLinks');
    outside = temporaryFolder();
    await writeFile(join(outside, 'file'), PRIVATE);
    // VS Code does not save over a file that is newer than it knows.
    await utimes(join(outside, 'file'), new Date(0), new Date(1));
  });

  afterEach(async () => {
    for (const one of provided.splice(0)) one.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await remove(folder);
  });

  type WhileAsked = (asked: ApprovalRequest) => unknown;

  function call(server: string, name: string, input: JsonObject, whileAsked?: WhileAsked): Promise<ToolResult> {
    const tool = servers.find((each) => each.server.name === server)!.server.tools.find((each) => each.name === name)!;
    return tool.call(zodOf(tool.input).parse(input), {
      session,
      signal: new AbortController().signal,
      progress: () => undefined,
      waitForUser: (answer) => answer,
      approve: async (asked) => void (await whileAsked?.(asked)),
    });
  }

  async function replaceByLink(path: string, target = join(outside, 'file')): Promise<void> {
    await rename(path, `${path}.away`);
    await symlink(target, path);
  }

  async function requireRefused(done: Promise<unknown>, path: string): Promise<void> {
    await assert.rejects(done, /A link has replaced/);
    assert.equal(await readFile(join(outside, 'file'), 'utf8'), PRIVATE);
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === path);
    assert.notEqual(document?.isDirty, true);
  }

  /** An edit that is offered as a rename, a code action and a format: it inserts a line. */
  function provide(whileComputed?: (document: vscode.TextDocument) => Promise<unknown>): void {
    const selector = { pattern: `${folder}/**` };
    const insert = vscode.TextEdit.insert(new vscode.Position(0, 0), 'edited\n');
    const editOf = ({ uri }: vscode.TextDocument): vscode.WorkspaceEdit => {
      const edit = new vscode.WorkspaceEdit();
      edit.set(uri, [insert]);
      return edit;
    };
    const { languages } = vscode;
    provided.push(
      languages.registerRenameProvider(selector, { provideRenameEdits: editOf }),
      languages.registerDocumentFormattingEditProvider(selector, { provideDocumentFormattingEdits: () => [insert] }),
      languages.registerCodeActionsProvider(selector, {
        provideCodeActions: async (document, _range, { only }) => {
          await whileComputed?.(document);
          const isImports = only?.contains(vscode.CodeActionKind.SourceOrganizeImports) === true;
          const kind = isImports ? vscode.CodeActionKind.SourceOrganizeImports : vscode.CodeActionKind.QuickFix;
          const action = new vscode.CodeAction('Insert a line', kind);
          action.edit = editOf(document);
          return [action];
        },
      }),
    );
  }

  it('are offered code actions although the file changes while they are computed, unless it never stops', async () => {
    const path = join(folder, 'a.txt');
    await writeFile(path, 'word\n');
    let changes = 1;
    provide(async ({ uri }) => {
      if (changes-- <= 0) return;
      const edit = new vscode.WorkspaceEdit();
      edit.insert(uri, new vscode.Position(0, 0), 'typed\n');
      assert(await vscode.workspace.applyEdit(edit));
    });
    assert.notEqual(await actionOf(path), '');
    changes = Infinity;
    await assert.rejects(actionOf(path), /changed while/);
  });

  const actionOf = async (path: string): Promise<string> => {
    const { structured } = await call('refactor', 'actions', { path, line: 1 });
    const [action] = structured!['actions'] as JsonObject[];
    return String(action!['action_id']);
  };
  const edits: Readonly<Record<string, (path: string, whileAsked?: () => unknown) => Promise<unknown>>> = {
    refactor__rename: (path, whileAsked) =>
      call('refactor', 'rename', { path, symbol: 'word', new_name: 'other' }, whileAsked),
    refactor__apply: async (path, whileAsked) => call('refactor', 'apply', { id: await actionOf(path) }, whileAsked),
    refactor__format: (path, whileAsked) => call('refactor', 'format', { paths: [path] }, whileAsked),
    'refactor__format of imports': (path, whileAsked) =>
      call('refactor', 'format', { paths: [path], organize_imports: true }, whileAsked),
    editor__review: (path, whileAsked) =>
      call('editor', 'review', { title: 'T', files: [{ path, new_text: 'edited\nword\n' }] }, whileAsked),
  };

  for (const [name, run] of Object.entries(edits)) {
    it(`${name} writes through no link that replaces the file`, async function () {
      if (process.platform === 'win32') this.skip();
      provide();
      const path = join(folder, 'a.txt');
      await writeFile(path, 'word\n');
      await requireRefused(
        run(path, () => replaceByLink(path)),
        path,
      );
    });

    it(`${name} keeps what the user saves in the file`, async () => {
      provide();
      const path = join(folder, 'a.txt');
      await writeFile(path, 'word\ntwo\nthree\n');
      const document = await vscode.workspace.openTextDocument(path);
      await vscode.window.showTextDocument(document);
      const type = async (): Promise<void> => {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(document.uri, new vscode.Position(3, 0), 'typed\n');
        assert(await vscode.workspace.applyEdit(edit));
        assert(await document.save());
      };
      const result = await run(path, type).catch(String);
      if (typeof result === 'string') assert.match(result, /has changed/);
      assert.match(document.getText(), /^typed$/m);
      assert.match(await readFile(path, 'utf8'), /^typed$/m);
    });
  }

  it('refactor__format saves nothing through a link that replaces the file while others take part in the save', async function () {
    if (process.platform === 'win32') this.skip();
    provide();
    const path = join(folder, 'a.txt');
    await writeFile(path, 'word\n');
    // As a formatter that takes its time.
    const replace = async (): Promise<void> => {
      await replaceByLink(path);
      await new Promise((resolve) => setTimeout(resolve, 300));
    };
    const saves = vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document.uri.fsPath !== path) return;
      saves.dispose();
      event.waitUntil(replace().then(() => []));
    });
    provided.push(saves);
    await assert.rejects(call('refactor', 'format', { paths: [path] }), /could not save/);
    assert.equal(await readFile(join(outside, 'file'), 'utf8'), PRIVATE);
    assert.equal(await readFile(`${path}.away`, 'utf8'), 'word\n');
  });

  /** A rename that adds a line to each file and moves or deletes it, as that of a language where names follow files. */
  function provideMove(move: (edit: vscode.WorkspaceEdit, uri: vscode.Uri) => void): void {
    const editOf = ({ uri }: vscode.TextDocument): vscode.WorkspaceEdit => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(uri, new vscode.Position(0, 0), 'edited\n');
      move(edit, uri);
      return edit;
    };
    const selector = { pattern: `${folder}/**` };
    provided.push(vscode.languages.registerRenameProvider(selector, { provideRenameEdits: editOf }));
  }

  /** Each runs the rename of `word` in a file. */
  const renames: Readonly<Record<string, (path: string, whileAsked?: WhileAsked) => Promise<unknown>>> = {
    refactor__rename: (path, whileAsked) =>
      call('refactor', 'rename', { path, symbol: 'word', new_name: 'other' }, whileAsked),
    'refactor__apply of a rename': async (path, whileAsked) => {
      const preview = { path, symbol: 'word', new_name: 'other', preview: true };
      const { structured } = await call('refactor', 'rename', preview);
      return call('refactor', 'apply', { id: structured!['change_id'] }, whileAsked);
    },
  };

  for (const [name, run] of Object.entries(renames)) {
    it(`${name} names the file that it moves, and moves it`, async () => {
      const [path, to] = [join(folder, 'a.txt'), join(folder, 'b.txt')];
      await writeFile(path, 'word\n');
      provideMove((edit, uri) => edit.renameFile(uri, vscode.Uri.file(to)));
      const asked: ApprovalRequest[] = [];
      await run(path, (request) => asked.push(request));
      assert.match(asked[0]!.title, /; rename \S*a\.txt to \S*b\.txt$/);
      assert.deepEqual(asked[0]!.paths, [path, to]);
      assert.equal(asked[0]!.always, true);
      assert(!existsSync(path));
      assert.equal(await readFile(to, 'utf8'), 'edited\nword\n');
    });

    for (const overwrite of [false, true]) {
      it(`${name} moves a file over none that appeared meanwhile${overwrite ? ', though the provider overwrites' : ''}`, async () => {
        const [path, to] = [join(folder, 'a.txt'), join(folder, 'b.txt')];
        await writeFile(path, 'word\n');
        provideMove((edit, uri) => edit.renameFile(uri, vscode.Uri.file(to), { overwrite }));
        await assert.rejects(
          run(path, () => writeFile(to, 'mine\n')),
          /has changed/,
        );
        assert.equal(await readFile(to, 'utf8'), 'mine\n');
        assert.equal(await readFile(path, 'utf8'), 'word\n');
      });
    }

    it(`${name} names the file that it deletes, and deletes none that changed meanwhile`, async () => {
      const [path, gone, other] = [join(folder, 'a.txt'), join(folder, 'gone.txt'), join(folder, 'other.txt')];
      for (const file of [path, gone, other]) await writeFile(file, 'word\n');
      let deleted = gone;
      provideMove((edit) => edit.deleteFile(vscode.Uri.file(deleted)));
      const asked: ApprovalRequest[] = [];
      await run(path, (request) => asked.push(request));
      assert.match(asked[0]!.title, /; delete \S*gone\.txt$/);
      assert.equal(asked[0]!.always, true);
      assert(!existsSync(gone));
      assert.equal(await readFile(path, 'utf8'), 'edited\nword\n');
      deleted = other;
      await assert.rejects(
        run(path, () => writeFile(other, 'mine\n')),
        /has changed/,
      );
      assert.equal(await readFile(other, 'utf8'), 'mine\n');
      assert.equal(await readFile(path, 'utf8'), 'edited\nword\n');
    });
  }

  it('editor__review creates no file in a folder that a link replaces', async function () {
    if (process.platform === 'win32') this.skip();
    const sub = join(folder, 'sub');
    await mkdir(sub);
    const path = join(sub, 'new.sh');
    const files = [{ path, new_text: 'evil\n' }];
    await assert.rejects(
      call('editor', 'review', { title: 'T', files }, () => replaceByLink(sub, outside)),
      /A link has replaced/,
    );
    assert(!existsSync(join(outside, 'new.sh')));
  });

  it('editor__review merges the accepted text with what the user saves in other lines', async () => {
    const path = join(folder, 'a.txt');
    await writeFile(path, 'one\ntwo\nthree\n');
    const document = await vscode.workspace.openTextDocument(path);
    await vscode.window.showTextDocument(document);
    const files = [{ path, new_text: 'ONE\ntwo\nthree\n' }];
    const typing = async (line: number): Promise<void> => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(line, 0), 'typed\n');
      assert(await vscode.workspace.applyEdit(edit));
      assert(await document.save());
    };
    const { structured } = await call('editor', 'review', { title: 'T', files }, () => typing(3));
    const merged = 'ONE\ntwo\nthree\ntyped\n';
    assert.equal((structured!['files'] as JsonObject[])[0]!['final_text'], merged);
    assert.equal(await readFile(path, 'utf8'), merged);
    const again = [{ path, new_text: 'TWO\n' }];
    await assert.rejects(
      call('editor', 'review', { title: 'T', files: again }, () => typing(0)),
      /has changed by the user/,
    );
    assert.equal(await readFile(path, 'utf8'), `typed\n${merged}`);
    assert(session.actions.some(({ type }) => type === 'noticeShown'));
  });

  for (const isMoved of [false, true]) {
    it(`notebook__edit ${isMoved ? 'changes no other cell after the user has moved it' : 'writes through no link that replaces the file'}`, async function () {
      if (process.platform === 'win32') this.skip();
      const path = join(folder, 'a.ipynb');
      await writeFile(path, JSON.stringify(NOTEBOOK));
      const uri = vscode.Uri.file(path);
      const insertCell = async (): Promise<void> => {
        const edit = new vscode.WorkspaceEdit();
        const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'typed', 'python');
        edit.set(uri, [vscode.NotebookEdit.insertCells(0, [cell])]);
        assert(await vscode.workspace.applyEdit(edit));
      };
      const ops = [{ op: 'replace', index: 0, source: 'evil' }];
      const done = call('notebook', 'edit', { path, ops }, isMoved ? insertCell : () => replaceByLink(path));
      if (!isMoved) return requireRefused(done, path);
      await assert.rejects(done, /has changed/);
      const notebook = await vscode.workspace.openNotebookDocument(uri);
      assert.deepEqual(
        notebook.getCells().map(({ document }) => document.getText()),
        ['typed', 'one'],
      );
    });
  }
});
