import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { LiveSession } from '../../src/session/liveSession';
import type { WorktreeRecord } from '../../src/worktrees/worktreeRecord';
import { fakeAgent } from '../fakeAgent/definition';
import { runGit } from '../kit/runGit';
import { untilEvent } from '../kit/waiting';
import { makeInside, remove, workspaceFolder } from './clientHelp';
import { pickRows, replaceDialogs } from './replaceDialogs';

/** In the order in which Undo can restore them. */
const FORMS = ['form.txt', 'new.txt', 'tool.sh', 'd', 'd/x.txt'];

/** A race of two agents that change one file differently, with real git, and the changes that the user takes. */
describe('a race in the extension host', () => {
  let api: TestApi;
  let folder: string;
  let restore: () => void;

  const text = (...changes: [line: number, text: string][]): string => {
    const lines = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    for (const [line, changed] of changes) lines[line - 1] = changed;
    return lines.map((line) => `${line}\n`).join('');
  };

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    folder = await makeInside('race');
    await writeFile(join(folder, 'f.txt'), text());
    await writeFile(join(folder, 'tool.sh'), 'echo\n');
    await writeFile(join(folder, 'form.txt'), 'one\ntwo\n');
    await mkdir(join(folder, 'd'));
    await writeFile(join(folder, 'd', 'x.txt'), 'x\n');
    const name = basename(folder);
    const agent = async (who: string): Promise<object> => {
      const scripts = join(folder, `${who}.json`);
      const changed = text([2, `${who} two`], [8, `${who} eight`]).replaceAll('\n', '\\n');
      await writeFile(
        scripts,
        JSON.stringify({ 'Improve it': `write ${name}/f.txt ${changed}\nwrite ${name}/${who}.txt own` }),
      );
      const { command, args, env } = fakeAgent({ FAKE_SCRIPTS: scripts });
      return { command, args, env };
    };
    const agents = { Ann: await agent('ann'), Ben: await agent('ben') };
    await vscode.workspace.getConfiguration('parley').update('agents', agents, vscode.ConfigurationTarget.Global);
    restore = replaceDialogs({
      createQuickPick: pickRows('Ann', 'Ben'),
      // Compares with the workspace.
      showQuickPick: async ([first]: readonly vscode.QuickPickItem[]) => first,
      showWarningMessage: async (_message: string, _options: object, first: string) => first,
    });
    await vscode.commands.executeCommand('parley.race', 'Improve it');
    await untilEvent(
      api.sessions.onDidChange,
      () => attempts().length === 2 && attempts().every(({ state }) => state.turns.length === 1),
    );
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    // Only in the workspace: the attempts are under review in their worktrees as well.
    for (const name of ['f.txt', 'ann.txt', 'ben.txt', ...FORMS])
      await api.reviewService.review.undoFile(join(folder, name));
    await writeFile(path(), text());
    await api.reviewService.flush();
  });

  after(async () => {
    restore();
    for (const { id } of api.worktrees.usable()) await api.worktrees.discard(id);
    for (const item of api.catalog.items())
      if (['Ann', 'Ben'].includes(item.agent?.name ?? '')) await api.catalog.remove(item.id);
    await vscode.workspace.getConfiguration('parley').update('agents', undefined, vscode.ConfigurationTarget.Global);
    await remove(folder);
  });

  const attempts = (): LiveSession[] =>
    api.sessions.allOpen().filter(({ state }) => state.branch?.startsWith('parley/improve-it'));
  const path = (): string => join(folder, 'f.txt');
  const attempt = (agent: string): LiveSession =>
    attempts().find(({ state }) => state.agent?.name === agent) ?? assert.fail(agent);
  const worktree = (agent: string): WorktreeRecord =>
    api.worktrees.around(attempt(agent).cwd) ?? assert.fail(`worktree of ${agent}`);

  async function takeHunk(agent: string, line: number): Promise<void> {
    const uri = vscode.Uri.file(join(worktree(agent).path, basename(folder), 'f.txt'));
    const editor = await vscode.window.showTextDocument(uri, { preview: false });
    editor.selection = new vscode.Selection(line - 1, 0, line - 1, 0);
    await vscode.commands.executeCommand('parley.takeHunk', uri);
  }

  it('gives each agent its own worktree, and does not change the workspace', async () => {
    assert.deepEqual(
      attempts().map(({ state }) => state.title),
      ['Improve it · Ann', 'Improve it · Ben'],
    );
    assert.notEqual(worktree('Ann').path, worktree('Ben').path);
    assert.equal(worktree('Ann').race?.id, worktree('Ben').race?.id);
    for (const [agent, who] of [
      ['Ann', 'ann'],
      ['Ben', 'ben'],
    ] as const) {
      const own = await readFile(join(worktree(agent).path, basename(folder), 'f.txt'), 'utf8');
      assert.equal(own, text([2, `${who} two`], [8, `${who} eight`]));
      const names = (await api.worktrees.changes(worktree(agent))).map(({ name }) => basename(name));
      assert.deepEqual(names, [`${who}.txt`, 'f.txt']);
    }
    assert.equal(await readFile(path(), 'utf8'), text());
  });

  it('takes hunks of two attempts, and Undo restores the file byte for byte', async () => {
    await takeHunk('Ann', 2);
    await takeHunk('Ben', 8);
    assert.equal(await readFile(path(), 'utf8'), text([2, 'ann two'], [8, 'ben eight']));
    const file = api.reviewService.review.file(path());
    assert.equal(file?.hunks.length, 2);
    assert.deepEqual(attempt('Ann').id === attempt('Ben').id, false);
    for (const agent of ['Ann', 'Ben'])
      assert.ok(
        api.reviewService.review.files(attempt(agent).id).some((one) => one.path === path()),
        `${agent} is named`,
      );
    await api.reviewService.review.undoFile(path());
    assert.equal(await readFile(path(), 'utf8'), text());
  });

  it('keeps unsaved text of the user, also on Undo', async () => {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path()));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(4, 0, 4, 1), 'unsaved');
    await vscode.workspace.applyEdit(edit);
    await vscode.commands.executeCommand('parley.takeAll', attempt('Ann').id);
    assert.equal(document.getText(), text([2, 'ann two'], [5, 'unsaved'], [8, 'ann eight']));
    assert.equal(await readFile(path(), 'utf8'), text(), 'nothing is saved for the user');
    assert.equal(await readFile(join(folder, 'ann.txt'), 'utf8'), 'own', 'a new file comes along');
    await api.reviewService.review.undoFile(path());
    assert.equal(document.getText(), text([5, 'unsaved']));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('never overwrites changes of the user', async () => {
    await writeFile(path(), text([2, 'by the user']));
    await vscode.commands.executeCommand('parley.takeAll', attempt('Ben').id);
    assert.equal(await readFile(path(), 'utf8'), text([2, 'by the user']));
    await takeHunk('Ben', 8);
    assert.equal(await readFile(path(), 'utf8'), text([2, 'by the user'], [8, 'ben eight']));
  });

  it('takes bytes and modes of files, and a file in place of a folder, and Undo restores them', async () => {
    const own = join(worktree('Ben').path, basename(folder));
    const form = Buffer.from('\uFEFFone\r\ntwo\r\n');
    for (const name of ['form.txt', 'new.txt']) await writeFile(join(own, name), form);
    await chmod(join(own, 'tool.sh'), 0o755);
    await rm(join(own, 'd'), { recursive: true });
    await writeFile(join(own, 'd'), 'now a file');
    await vscode.commands.executeCommand('parley.takeAll', attempt('Ben').id);
    for (const name of ['form.txt', 'new.txt']) assert.deepEqual(await readFile(join(folder, name)), form, name);
    const isExecutable = async (): Promise<boolean> => ((await stat(join(folder, 'tool.sh'))).mode & 0o111) !== 0;
    // Windows has no such modes.
    if (process.platform !== 'win32') assert.equal(await isExecutable(), true);
    assert.equal(await readFile(join(folder, 'd'), 'utf8'), 'now a file');
    for (const name of FORMS) await api.reviewService.review.undoFile(join(folder, name));
    assert.equal(await readFile(join(folder, 'form.txt'), 'utf8'), 'one\ntwo\n');
    assert.equal(await isExecutable(), false);
    assert.equal(await readFile(join(folder, 'd', 'x.txt'), 'utf8'), 'x\n');
    assert.equal(existsSync(join(folder, 'new.txt')), false);
  });

  it('can be compared in the multi-file diff editor, and is discarded completely', async () => {
    await vscode.commands.executeCommand('parley.compareWorktree', attempt('Ann').id);
    const labels = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
    assert.ok(
      labels.some((label) => label.includes('↔')),
      labels.join(),
    );
    for (const session of attempts()) await vscode.commands.executeCommand('parley.discardWorktree', session.id);
    const git = (...args: string[]): string => runGit(workspaceFolder(), ...args);
    assert.equal(git('branch', '--list', 'parley/*'), '');
    assert.equal(git('worktree', 'list').trim().split('\n').length, 1);
  });
});
