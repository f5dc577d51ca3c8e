import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { Session } from '../../src/session/session';
import { CodeApplier } from '../../src/ui/chat/content/applyCode';
import type { Review } from '../../src/ui/window';
import { showNotification } from '../../src/workbench/notice';
import type { ReadOnlyDocuments } from '../../src/workbench/virtualDocuments';
import { stubOf } from '../kit/stubOf';
import { eventually } from '../kit/waiting';
import { makeInside, remove, workspaceFolder } from './clientHelp';
import { replaceDialogs } from './replaceDialogs';

const session = (): Session => stubOf<Session>({ id: 's1', folders: [workspaceFolder()] });

function applierOf(edit: Review['edit']): CodeApplier {
  return new CodeApplier(stubOf<ReadOnlyDocuments>({}), stubOf<Review>({ edit }), showNotification);
}

function isDirtyTab(path: string): boolean {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(
    ({ input, isDirty }) => isDirty && input instanceof vscode.TabInputNotebook && input.uri.fsPath === path,
  );
}

/** A patch in the chat that deletes a file. */
describe('a patch that deletes a file', () => {
  const asked: string[] = [];
  let folder: string;
  let answer: string | undefined;
  let restore: () => void;
  let whileAsked = async (): Promise<void> => undefined;

  before(async () => {
    folder = await makeInside('patch');
    restore = replaceDialogs({
      showWarningMessage: async (message: string) => {
        asked.push(message);
        await whileAsked();
        return answer;
      },
    });
  });
  after(async () => {
    restore();
    await remove(folder);
  });

  it('deletes the file after confirmation if it contains the whole file, and never leaves an empty one', async () => {
    const path = join(folder, 'old.ts');
    const name = `${basename(folder)}/old.ts`;
    const patch = `--- a/${name}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n`;
    const edited: string[] = [];
    const apply = (): Promise<void> =>
      applierOf(async (_session, file, write) => {
        edited.push(file);
        return write();
      }).apply(session(), { code: patch, info: '', links: [] });
    await apply();
    assert.match(asked.join(), /old\.ts does not exist\. Nothing was deleted\.$/);
    await writeFile(path, 'one\ntwo\nthree\n');
    await apply();
    assert.match(asked.at(-1) ?? '', /was not deleted: its content does not match the patch/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const document = await vscode.workspace.openTextDocument(path);
    const shorter = new vscode.WorkspaceEdit();
    shorter.delete(document.uri, new vscode.Range(2, 0, 3, 0));
    await vscode.workspace.applyEdit(shorter);
    await document.save();
    await apply();
    assert.match(asked.at(-1) ?? '', /^Delete .*old\.ts\? The patch removes the entire file\.$/);
    assert.deepEqual([existsSync(path), edited], [true, []]);
    answer = 'Delete';
    await apply();
    assert.deepEqual([existsSync(path), edited], [false, [path]]);
  });

  it('deletes nothing that was written into the file during the confirmation', async () => {
    const path = join(folder, 'grown.ts');
    await writeFile(path, 'one\n');
    const name = `${basename(folder)}/grown.ts`;
    answer = 'Delete';
    whileAsked = async () => {
      if (asked.at(-1)?.startsWith('Delete') === true) await writeFile(path, 'one\nmuch more\n');
    };
    await applierOf((_session, _file, write) => write()).apply(session(), {
      code: `--- a/${name}\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n`,
      info: '',
      links: [],
    });
    assert.match(asked.at(-1) ?? '', /was not deleted: its content does not match the patch/);
    assert.equal(await readFile(path, 'utf8'), 'one\nmuch more\n');
  });

  it('deletes no notebook with unsaved cells', async () => {
    const path = join(folder, 'a.ipynb');
    const content = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 2 });
    await writeFile(path, content);
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path));
    await vscode.window.showNotebookDocument(notebook);
    const edit = new vscode.WorkspaceEdit();
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, 'mine', 'markdown');
    edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(0, [cell])]);
    await vscode.workspace.applyEdit(edit);
    await eventually(() => assert.ok(notebook.isDirty && isDirtyTab(path)));
    const name = `${basename(folder)}/a.ipynb`;
    answer = 'Delete';
    whileAsked = async () => undefined;
    const code = `--- a/${name}\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-${content}\n\\ No newline at end of file\n`;
    await applierOf((_session, _file, write) => write()).apply(session(), { code, info: '', links: [] });
    assert.match(asked.at(-1) ?? '', /Could not apply the code: The file has unsaved changes in a notebook/);
    assert.deepEqual([existsSync(path), notebook.isDirty, notebook.cellCount], [true, true, 1]);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('deletes nothing in a folder that became a link during the confirmation', async function () {
    if (process.platform === 'win32') this.skip();
    for (const name of ['src', 'other']) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'old.ts'), 'one\n');
    }
    const name = `${basename(folder)}/src/old.ts`;
    const patch = `--- a/${name}\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n`;
    answer = 'Delete';
    whileAsked = async () => {
      if (asked.at(-1)?.startsWith('Delete') !== true) return;
      await rename(join(folder, 'src'), join(folder, 'away'));
      await symlink('other', join(folder, 'src'));
    };
    await applierOf((_session, _file, write) => write()).apply(session(), { code: patch, info: '', links: [] });
    assert.match(
      asked.at(-1) ?? '',
      /Could not apply the code: A folder in the file path now points to a different location/,
    );
    assert.deepEqual([existsSync(join(folder, 'other/old.ts')), existsSync(join(folder, 'away/old.ts'))], [true, true]);
  });
});
