import { workspaceFolders } from '../editorToolsStub';
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../../../../src/base/logger';
import { applyEdit } from '../../../../../src/mcp/builtin/common/applyWorkspaceEdit';
import { ToolError } from '../../../../../src/mcp/toolServerTypes';
import { ChangeTracker } from '../../../../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../../../../src/review/tracking/modifiedFiles';
import { MemoryFiles } from '../../../review/memoryFiles';

describe('edits by tools', () => {
  it('reports the file that could not be saved, which keeps its content', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-edit-'));
    workspaceFolders.push(folder);
    const path = join(folder, 'a.ts');
    const uri = vscode.Uri.file(path);
    await writeFile(path, 'old');
    let text = 'old';
    const document = {
      uri,
      isDirty: false,
      encoding: 'utf8',
      getText: () => text,
      // As VS Code does on a full disk.
      save: async () => {
        await writeFile(path, 'a n');
        return false;
      },
    };
    const workspace = vscode.workspace as unknown as Record<string, unknown>;
    const { openTextDocument, applyEdit: applyNothing } = workspace;
    Object.assign(workspace, {
      textDocuments: [document],
      fs: { readFile: async () => readFile(path) },
      encode: async (plain: string) => Buffer.from(plain),
      decode: async (bytes: Buffer) => bytes.toString(),
      openTextDocument: async () => document,
      applyEdit: async () => {
        text = 'a new text';
        return true;
      },
    });
    try {
      const edit = { size: 1, entries: () => [[uri, [{}]]] } as unknown as vscode.WorkspaceEdit;
      const applied = applyEdit(edit, 's', (_session, _path, write) => write());
      await assert.rejects(applied, (error) => {
        assert.ok(error instanceof ToolError);
        assert.match(error.message, /^VS Code could not save \S*a\.ts\./);
        return true;
      });
      assert.equal(await readFile(path, 'utf8'), 'old');
    } finally {
      Object.assign(workspace, { textDocuments: [], openTextDocument, applyEdit: applyNothing });
      workspaceFolders.splice(0);
      await rm(folder, { recursive: true });
    }
  });

  it('of the same files in another order, and a check of all of them, wait for each other and end', async () => {
    const files = new MemoryFiles();
    const tracker = new ChangeTracker({
      modifiedFiles: new ModifiedFiles((path) => path),
      files,
      baseline: files,
      log: nullLogger,
      sessionsWorkingOn: () => [],
      onDidMissFile: () => undefined,
    });
    const done: string[] = [];
    const editOf = (...names: string[]): vscode.WorkspaceEdit =>
      ({
        size: 2,
        entries: () => names.map((name) => [vscode.Uri.file(name), [{}]]),
      }) as unknown as vscode.WorkspaceEdit;
    const apply = async (...names: string[]): Promise<void> => {
      await applyEdit(editOf(...names), 's', (session, paths, write) =>
        tracker.runAgentEdit(session, paths, () => write()),
      );
      done.push(names.join(''));
    };
    await Promise.all([
      apply('/a', '/b'),
      apply('/b', '/a'),
      tracker.withFileLocks(['/a', '/b'], async () => void done.push('check')),
    ]);
    assert.deepEqual(done.toSorted(), ['/a/b', '/b/a', 'check']);
  });
});
