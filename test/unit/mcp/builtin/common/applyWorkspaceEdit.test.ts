import type { WorkspaceEdit } from '../editorToolsStub';
import { workspaceFolders } from '../editorToolsStub';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../../../../src/base/logger';
import type { NewFile } from '../../../../../src/mcp/builtin/common/applyWorkspaceEdit';
import { applyEdit } from '../../../../../src/mcp/builtin/common/applyWorkspaceEdit';
import { EditPlanner } from '../../../../../src/mcp/builtin/common/plannedEdit';
import { ToolError } from '../../../../../src/mcp/contract/toolServerTypes';
import { ChangeTracker } from '../../../../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../../../../src/review/tracking/modifiedFiles';
import { savedFile } from '../../../../../src/workbench/editorWrites';
import { standIn } from '../../../../kit/stubOf';
import { temporaryFolder } from '../../../../kit/temporaryFolder';
import { MemoryFiles } from '../../../review/memoryFiles';
import { byAgent } from '../../../review/otherWork';

type AgentWrite = Parameters<typeof applyEdit>[2];

/** An editor that saves as VS Code does: through links. */
class OpenDocument {
  readonly encoding = 'utf8';
  readonly uri: vscode.Uri;
  isDirty = false;
  version = 1;
  text: string;
  /** Called by a save before it writes. */
  onWillSave: () => void = () => undefined;
  onWrite = (path: string): boolean => {
    writeFileSync(path, this.text);
    return true;
  };

  constructor(path: string) {
    this.uri = vscode.Uri.file(path);
    this.text = readFileSync(path, 'utf8');
  }

  getText(): string {
    return this.text;
  }

  positionAt(at: number): number {
    return at;
  }

  setText(text: string): void {
    this.text = text;
    this.version++;
    this.isDirty = true;
  }

  async save(): Promise<boolean> {
    this.onWillSave();
    this.isDirty = !this.onWrite(this.uri.fsPath);
    return !this.isDirty;
  }
}

const run: AgentWrite = (_session, _paths, write) => write();

describe('edits by tools', () => {
  const workspace = standIn<Record<string, unknown>>(vscode.workspace);
  const original = { ...Object.getOwnPropertyDescriptors(workspace) };
  let folder: string;
  let outside: string;
  let document: OpenDocument;
  const inFolder = (name: string): string => join(folder, name);

  beforeEach(async () => {
    const root = temporaryFolder();
    [folder, outside] = [join(root, 'workspace'), join(root, 'outside')];
    await mkdir(folder);
    await mkdir(outside);
    workspaceFolders.push(folder);
    writeFileSync(inFolder('a.ts'), 'old');
    writeFileSync(join(outside, 'a.ts'), 'old');
    document = new OpenDocument(inFolder('a.ts'));
    Object.assign(workspace, {
      textDocuments: [document],
      encode: async (plain: string) => Buffer.from(plain),
      decode: async (bytes: Buffer) => bytes.toString(),
      openTextDocument: async ({ fsPath }: { fsPath: string }) => {
        if (fsPath === document.uri.fsPath) return document;
        throw new Error('not there');
      },
      applyEdit: async ({ changes }: WorkspaceEdit) => {
        for (const { start, end, text } of changes)
          document.setText(document.text.slice(0, start) + text + document.text.slice(end));
        return true;
      },
    });
  });

  afterEach(async () => {
    Object.defineProperties(workspace, original);
    workspaceFolders.splice(0);
    await rm(join(folder, '..'), { recursive: true });
  });

  function edit(text: string): vscode.WorkspaceEdit {
    const made = new vscode.WorkspaceEdit();
    made.replace(document.uri, standIn({ start: 0, end: 3 }), text);
    return made;
  }

  function replaceByLink(name: string): void {
    renameSync(inFolder(name), inFolder('away'));
    symlinkSync(join(outside, name), inFolder(name));
  }

  const problemOf = async (done: Promise<unknown>): Promise<string> =>
    done.then(
      () => 'done',
      (error: unknown) => (error instanceof ToolError ? error.message : `failed: ${String(error)}`),
    );

  it('write the file that was there when they were made', async () => {
    await applyEdit(await new EditPlanner().plan(edit('new')), 's', run);
    assert.equal(readFileSync(inFolder('a.ts'), 'utf8'), 'new');
  });

  it('report the file that could not be saved, which keeps its content', async () => {
    document.onWrite = (path) => {
      // As VS Code does on a full disk.
      writeFileSync(path, 'a n');
      return false;
    };
    const plan = await new EditPlanner().plan(edit('a new text'));
    assert.match(await problemOf(applyEdit(plan, 's', run)), /^VS Code could not save \S*a\.ts\./);
    assert.equal(readFileSync(inFolder('a.ts'), 'utf8'), 'old');
    assert.equal(document.text, 'a new text');
  });

  it('change nothing through a link that has replaced the file since they were made', async () => {
    const plan = await new EditPlanner().plan(edit('new'));
    replaceByLink('a.ts');
    assert.match(await problemOf(applyEdit(plan, 's', run)), /^A link has replaced \S*a\.ts/);
    assert.deepEqual([readFileSync(join(outside, 'a.ts'), 'utf8'), document.text], ['old', 'old']);
  });

  it('change nothing through a link that was in place when they were made, and leads out of the workspace', async () => {
    replaceByLink('a.ts');
    const plan = await new EditPlanner().plan(edit('new'));
    assert.match(await problemOf(applyEdit(plan, 's', run)), /^A link has replaced \S*a\.ts/);
    assert.deepEqual([readFileSync(join(outside, 'a.ts'), 'utf8'), document.text], ['old', 'old']);
  });

  it('change nothing through a link that replaces the file while the write waits for another', async () => {
    const plan = await new EditPlanner().plan(edit('new'));
    const late: AgentWrite = async (_session, _paths, write) => {
      replaceByLink('a.ts');
      return write();
    };
    assert.match(await problemOf(applyEdit(plan, 's', late)), /^A link has replaced \S*a\.ts/);
    assert.deepEqual([readFileSync(join(outside, 'a.ts'), 'utf8'), document.text], ['old', 'old']);
  });

  it('are taken back where a link replaces the file before the save, so that no automatic save writes through it', async () => {
    const plan = await new EditPlanner().plan(edit('new'));
    const { applyEdit: applyNow } = workspace as { applyEdit: (edit: unknown) => Promise<boolean> };
    let isFirst = true;
    workspace['applyEdit'] = async (one: unknown) => {
      const isApplied = await applyNow(one);
      if (isFirst) replaceByLink('a.ts');
      isFirst = false;
      return isApplied;
    };
    assert.match(await problemOf(applyEdit(plan, 's', run)), /^VS Code could not save \S*a\.ts\./);
    assert.deepEqual([readFileSync(join(outside, 'a.ts'), 'utf8'), document.text], ['old', 'old']);
    assert(!document.isDirty);
  });

  it('change nothing in a file that has changed since they were made, or while', async () => {
    const plan = await new EditPlanner().plan(edit('new'));
    document.setText('typed by the user');
    assert.match(await problemOf(applyEdit(plan, 's', run)), /^\S*a\.ts has changed since this edit was made\./);
    const planner = new EditPlanner();
    document.setText('typed again');
    const late = await planner.plan(edit('new'));
    assert.match(await problemOf(applyEdit(late, 's', run)), /^\S*a\.ts has changed since this edit was made\./);
    assert.equal(document.text, 'typed again');
  });

  it('create no file in a folder that a link has replaced, and then change no other', async () => {
    await mkdir(inFolder('sub'));
    await mkdir(join(outside, 'sub'));
    const uri = vscode.Uri.file(inFolder('sub/new.ts'));
    const created: NewFile = { uri, real: savedFile({ uri }), bytes: Buffer.from('evil') };
    const plan = await new EditPlanner().plan(edit('new'));
    const late: AgentWrite = async (_session, paths, write) => {
      assert.deepEqual(paths, [inFolder('a.ts'), uri.fsPath]);
      replaceByLink('sub');
      return write();
    };
    assert.match(await problemOf(applyEdit(plan, 's', late, [created])), /sub in the path now points to another/);
    assert.match(await problemOf(applyEdit(plan, 's', run, [created])), /^A link has replaced \S*new\.ts/);
    assert.deepEqual([existsSync(join(outside, 'sub/new.ts')), document.text], [false, 'old']);
  });

  it('of the same files in another order, and a check of all of them, wait for each other and end', async () => {
    const files = new MemoryFiles();
    const modifiedFiles = new ModifiedFiles((path) => path);
    const tracker = new ChangeTracker(
      modifiedFiles,
      files,
      files,
      byAgent(() => []),
      nullLogger,
    );
    workspace['applyEdit'] = async () => true;
    const done: string[] = [];
    const editOf = (...names: string[]): vscode.WorkspaceEdit =>
      standIn({
        _allEntries: () => [],
        entries: () => names.map((name) => [vscode.Uri.file(name), [{}]]),
      });
    const apply = async (...names: string[]): Promise<void> => {
      const plan = await new EditPlanner().plan(editOf(...names));
      await applyEdit(plan, 's', (session, paths, write) => tracker.runAgentEdit(session, paths, () => write()));
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
