import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { applyEdit } from '../../src/mcp/builtin/common/applyWorkspaceEdit';
import { EditPlanner } from '../../src/mcp/builtin/common/plannedEdit';
import { writeFileChange } from '../../src/ui/chat/content/writeFileChange';
import { makeInside, remove } from './clientHelp';

describe('edits that a save of VS Code would change', () => {
  let folder: string;
  const files: Readonly<Record<string, Buffer>> = {
    'mixed.txt': Buffer.from('one\r\ntwo\nthree\r\n'),
    'latin1.txt': Buffer.from('one é\ntwo\n', 'latin1'),
  };

  before(async () => {
    folder = await makeInside('exact');
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  });
  after(() => remove(folder));

  for (const [name, bytes] of Object.entries(files)) {
    it(`change nothing of ${name}: a tool of Parley`, async () => {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(vscode.Uri.file(join(folder, name)), new vscode.Range(1, 0, 1, 3), '2');
      await assert.rejects(
        applyEdit(await new EditPlanner().plan(edit), 's1', (_session, _paths, write) => write()),
        /VS Code would change other lines of .*txt/,
      );
      assert.deepEqual(await readFile(join(folder, name)), bytes);
    });

    it(`change nothing of ${name}: Apply code`, async () => {
      const uri = vscode.Uri.file(join(folder, name));
      const document = await vscode.workspace.openTextDocument(uri);
      const text = document.getText().replaceAll('\r\n', '\n');
      const target = { uri, real: realpathSync(uri.fsPath), exists: true };
      await assert.rejects(
        writeFileChange({ ...target, before: text, after: text.replace('two', '2') }),
        /A save would change other lines/,
      );
      assert.deepEqual(await readFile(uri.fsPath), bytes);
      assert(!document.isDirty);
    });
  }

  it('create no file whose encoding lacks a character', async () => {
    const config = vscode.workspace.getConfiguration('files');
    const uri = vscode.Uri.file(join(folder, 'new.txt'));
    const target = { uri, real: join(realpathSync(folder), 'new.txt'), exists: false };
    await config.update('encoding', 'windows1252', vscode.ConfigurationTarget.Workspace);
    try {
      await assert.rejects(writeFileChange({ ...target, before: '', after: '→\n' }), /lacks a character/);
      await writeFileChange({ ...target, before: '', after: 'é\n' });
      assert.deepEqual(await readFile(uri.fsPath), Buffer.from('é\n', 'latin1'));
    } finally {
      await config.update('encoding', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });
});
