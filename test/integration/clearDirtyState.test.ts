import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { clearDirtyState, closeUntitled } from '../../src/workbench/textDocuments';
import { becomes } from '../kit/waiting';
import { makeInside, remove } from './clientHelp';

describe('a file whose unsaved state Parley clears', () => {
  let folder: string;
  let own: vscode.TextDocument;
  let other: vscode.TextDocument;
  const shown: string[] = [];
  let listener: vscode.Disposable;

  /** A document with unsaved text; its editor is the active one. */
  async function type(name: string): Promise<vscode.TextDocument> {
    const path = join(folder, name);
    await writeFile(path, 'disk\n');
    const document = await vscode.workspace.openTextDocument(path);
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    assert(await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'unsaved ')));
    return document;
  }

  beforeEach(async () => {
    folder = await makeInside('dirty');
    own = await type('own.txt');
    other = await type('other.txt');
    shown.length = 0;
    listener = vscode.window.onDidChangeActiveTextEditor((editor) => shown.push(editor?.document.uri.fsPath ?? 'none'));
  });

  afterEach(async () => {
    listener.dispose();
    for (const document of [own, other]) await document.save();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await remove(folder);
  });

  /** Another program writes the file. */
  const write = (text: string): Promise<void> => writeFile(own.uri.fsPath, text);
  const requireOtherUnsaved = async (): Promise<void> => {
    assert.deepEqual([other.getText(), other.isDirty], ['unsaved disk\n', true]);
    assert.equal(await readFile(other.uri.fsPath, 'utf8'), 'disk\n');
    // VS Code's command “Revert File” acts on whatever editor is active.
    assert.deepEqual(shown, []);
  };

  for (const text of ['unsaved disk\n', 'another text that is longer\n']) {
    it(`shows what the file has, and leaves the active editor alone: ${text.trim()}`, async () => {
      await write(text);
      await clearDirtyState(own, 'unsaved disk\n');
      assert.deepEqual([own.getText(), own.isDirty], [text, false]);
      assert.equal(await readFile(own.uri.fsPath, 'utf8'), text);
      await requireOtherUnsaved();
    });
  }

  it('keeps its bytes where a formatter changes what is saved', async () => {
    const formatter = vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document === own)
        event.waitUntil(Promise.resolve([vscode.TextEdit.insert(new vscode.Position(0, 0), 'formatted ')]));
    });
    try {
      await write('unsaved disk\n');
      await clearDirtyState(own, 'unsaved disk\n');
    } finally {
      formatter.dispose();
    }
    assert.equal(await readFile(own.uri.fsPath, 'utf8'), 'unsaved disk\n');
    await requireOtherUnsaved();
  });

  it('stays as it is if the user has typed since', async () => {
    await write('another\n');
    await clearDirtyState(own, 'older text');
    assert.deepEqual([own.getText(), own.isDirty], ['unsaved disk\n', true]);
    assert.equal(await readFile(own.uri.fsPath, 'utf8'), 'another\n');
    await requireOtherUnsaved();
    // VS Code would refuse to save over the newer file.
    await write('disk\n');
  });

  it('is closed without a question if it has no file, and no editor shown meanwhile changes', async () => {
    const cells = new vscode.NotebookData([new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'one', 'python')]);
    const notebook = await vscode.workspace.openNotebookDocument('jupyter-notebook', cells);
    const plan = await vscode.workspace.openTextDocument({ content: 'a plan' });
    const editor = await vscode.window.showTextDocument(plan);
    assert(await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'edited ')));
    await Promise.all([vscode.window.showNotebookDocument(notebook), closeUntitled(plan)]);
    const tabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const name = plan.uri.toString();
    await becomes(
      () => tabs().some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === name),
      false,
    );
    assert.deepEqual([other.getText(), other.isDirty, notebook.isClosed], ['unsaved disk\n', true, false]);
    assert.deepEqual(
      notebook.getCells().map(({ document }) => document.getText()),
      ['one'],
    );
    await vscode.window.showNotebookDocument(notebook);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
