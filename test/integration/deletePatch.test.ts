import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { applyCode } from '../../src/view/entries/applyCode';
import { makeInside, remove, workspaceFolder } from './clientHelp';

type Show = (message: string, ...rest: unknown[]) => Promise<unknown>;

/** A patch of the chat that takes a whole file away. */
describe('a patch that deletes a file', function () {
  this.timeout(30_000);
  const window = vscode.window as unknown as { showWarningMessage: Show };
  const { showWarningMessage } = window;
  const asked: string[] = [];
  let folder: string;
  let answer: string | undefined;

  before(async () => {
    folder = await makeInside('patch');
    window.showWarningMessage = async (message) => {
      asked.push(message);
      return answer;
    };
  });
  after(async () => {
    Object.assign(window, { showWarningMessage });
    await remove(folder);
  });

  it('asks, and deletes it where all of it stands in the patch; it never leaves an empty one', async () => {
    const path = join(folder, 'old.ts');
    const name = `${basename(folder)}/old.ts`;
    const patch = `--- a/${name}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n`;
    const edited: string[] = [];
    const apply = (): Promise<void> =>
      applyCode({ id: 's1', folders: [workspaceFolder()] } as never, patch, '', {
        proposals: undefined as never,
        edit: async (_session, file, write) => {
          edited.push(file);
          return write();
        },
      });
    await apply();
    assert.match(asked.join(), /old\.ts is not there; there is nothing to delete\.$/);
    await writeFile(path, 'one\ntwo\nthree\n');
    await apply();
    assert.match(asked.at(-1) ?? '', /was not deleted: there is something else in it/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const document = await vscode.workspace.openTextDocument(path);
    const shorter = new vscode.WorkspaceEdit();
    shorter.delete(document.uri, new vscode.Range(2, 0, 3, 0));
    await vscode.workspace.applyEdit(shorter);
    await document.save();
    await apply();
    assert.match(asked.at(-1) ?? '', /^Delete .*old\.ts\? The patch takes the whole file away\.$/);
    assert.deepEqual([existsSync(path), edited], [true, []]);
    answer = 'Delete';
    await apply();
    assert.deepEqual([existsSync(path), edited], [false, [path]]);
  });
});
