import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Emitter } from '../../../../src/base/event';
import type { Sessions } from '../../../../src/session/sessions';
import type { ReviewIntent } from '../../../../src/shared/protocol/chatPageProtocol';
import { TakeChanges } from '../../../../src/ui/worktrees/takeChanges';
import type { Notice } from '../../../../src/workbench/notice';
import type { WorktreeChange } from '../../../../src/worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { removeFolder } from '../../../host/workspace.mjs';
import { stubOf } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { FakeSession } from '../fakes';

const [BEFORE, AFTER] = [Buffer.from([0, 1]), Buffer.from([0, 2])];

describe('ui/worktrees/takeChanges', () => {
  const tabs: object[] = [];
  let folder: string;
  let notices: Notice[];
  let steps: string[];
  let intents: ReviewIntent[];
  let taking: TakeChanges;
  /** The user's action between the dialog and the write. */
  let meanwhile: () => Promise<void>;

  beforeEach(async () => {
    resetStub();
    folder = temporaryFolder();
    await mkdir(join(folder, 'own'));
    await writeFile(join(folder, 'a.bin'), BEFORE);
    [notices, steps, intents, meanwhile] = [[], [], [], async () => undefined];
    const uriOf = (fsPath: string): object => ({ scheme: 'file', fsPath, toString: () => fsPath });
    tabs.length = 0;
    Object.assign(stub.window, { tabGroups: { all: [{ tabs }] } });
    Object.assign(stub.Uri, { file: uriOf });
    Object.assign(stub.workspace, {
      workspaceFolders: [{ uri: uriOf(folder) }],
      textDocuments: [],
      fs: { writeFile: ({ fsPath }: { fsPath: string }, bytes: Uint8Array) => writeFile(fsPath, bytes) },
    });
  });

  const { executeCommand } = stub.commands;
  afterEach(async () => {
    Object.assign(stub.commands, { executeCommand });
    await removeFolder(folder);
  });

  const record = (): WorktreeRecord =>
    ({ id: 'w', repository: folder, path: join(folder, 'own'), branch: 'parley/x', session: 's' }) as WorktreeRecord;
  async function makePipe(): Promise<void> {
    await rm(join(folder, 'a.bin'));
    execFileSync('mkfifo', [join(folder, 'a.bin')]);
  }
  async function takeAll(undoId?: string, change: Partial<WorktreeChange> = {}): Promise<void> {
    const modified = { name: 'a.bin', status: 'modified', before: 'b', after: 'a', isExecutable: false };
    const worktrees = {
      changes: async () => [{ ...modified, isModeChanged: false, isSpecial: false, ...change }],
      bytes: async () => ({
        before: change.status === 'added' ? undefined : BEFORE,
        after: change.status === 'deleted' ? undefined : AFTER,
      }),
    };
    taking = new TakeChanges(
      stubOf<Worktrees>(worktrees as object),
      stubOf<Sessions>({ getOpen: () => new FakeSession('s') }),
      {
        edit: async (_session, _path, write) => {
          steps.push('edit');
          await meanwhile();
          return write();
        },
        withCheckpoint: async (session, run) => {
          steps.push(`checkpoint of ${session}`);
          await run();
          return undoId;
        },
        handle: async (_session, intent) => void intents.push(intent),
        changedFiles: (id) => ['own/a.bin', 'a.bin', 'b.bin'].map((name) => join(folder, id === 's' ? name : 'x')),
        onDidChange: new Emitter<void>().event,
      },
      { show: (notice) => notice && notices.push(notice) },
    );
    await taking.takeAll(record());
  }
  async function take(undoId?: string, change: Partial<WorktreeChange> = {}): Promise<Buffer> {
    await takeAll(undoId, change);
    return readFile(join(folder, 'a.bin'));
  }

  it('writes the bytes after a checkpoint, and Undo in its notice restores that', async () => {
    assert.deepEqual(await take('undo-1'), AFTER);
    assert.deepEqual(steps, ['checkpoint of s', 'edit']);
    assert.equal(notices[0]?.button?.label, 'Undo');
    await notices[0]?.button?.run();
    assert.deepEqual(intents, [{ type: 'undoRestore', undoId: 'undo-1' }]);
  });

  for (const mode of [0o755, 0o700, 0o600, 0o640])
    it(`gives a new file the mode of the worktree's, 0${mode.toString(8)}`, async function () {
      if (process.platform === 'win32') this.skip();
      await rm(join(folder, 'a.bin'));
      await writeFile(join(folder, 'own/a.bin'), AFTER, { mode });
      const isExecutable = (mode & 0o100) !== 0;
      await takeAll('restore', { status: 'added', before: undefined, isExecutable });
      assert.equal((await lstat(join(folder, 'a.bin'))).mode & 0o777, mode);
    });

  it('names a file that is too large, and leaves it', async () => {
    assert.deepEqual(await take('restore', { status: 'added', isLarge: true }), BEFORE);
    assert.deepEqual(notices[0]?.details, ['a.bin is larger than 100 MB']);
  });

  it('leaves a file with unsaved changes in a notebook or custom editor', async () => {
    const input = Object.assign(new stub.TabInputCustom(), { uri: { fsPath: join(folder, 'a.bin') } });
    tabs.push({ input, isDirty: true });
    await takeAll('restore', { status: 'deleted', after: undefined });
    assert.match(
      notices[0]?.details?.[0] ?? '',
      /^a\.bin: The file has unsaved changes in a notebook or custom editor/,
    );
    assert.deepEqual(await readFile(join(folder, 'a.bin')), BEFORE);
  });

  it('names a file whose name is not UTF-8, and writes none', async () => {
    await takeAll('restore', { name: 'caf\ufffd.txt', status: 'added', before: undefined });
    assert.deepEqual(notices[0]?.details, ['caf\ufffd.txt has a name that is not UTF-8']);
    await assert.rejects(lstat(join(folder, 'caf\ufffd.txt')), { code: 'ENOENT' });
  });

  it('shows the first taken file of the workspace, not that of the worktree', async () => {
    await take();
    const shown: unknown[] = [];
    Object.assign(stub.commands, { executeCommand: async (...command: unknown[]) => void shown.push(command) });
    await taking.reviewTaken(record());
    assert.deepEqual(shown, [['parley.openChange', { path: join(folder, 'a.bin'), session: 's' }]]);
  });

  it('offers the review if there is no checkpoint', async () => {
    await take();
    await notices[0]?.button?.run();
    assert.deepEqual(intents, [{ type: 'reviewChanges' }]);
  });

  for (const [what, change] of [
    ['replaces', {}],
    ['deletes', { status: 'deleted', after: undefined }],
  ] as const)
    it(`never ${what} a file that was changed after it was compared`, async () => {
      const own = Buffer.from([0, 9]);
      meanwhile = () => writeFile(join(folder, 'a.bin'), own);
      assert.deepEqual(await take('undo-1', change as Partial<WorktreeChange>), own);
      assert.match(notices[0]?.details?.join() ?? '', /changed in the meantime/);
    });

  for (const [when, prepare] of [
    ['before', async () => makePipe()],
    ['after', async () => void (meanwhile = makePipe)],
  ] as const)
    it(`does not wait for a pipe at the name of a changed file, made ${when} it was compared`, async function () {
      if (process.platform === 'win32') this.skip();
      await prepare();
      await takeAll('undo-1');
      assert.match(
        notices[0]?.details?.join() ?? '',
        /^a\.bin: (?:it is not a regular file|.*changed in the meantime)/,
      );
      assert.equal((await lstat(join(folder, 'a.bin'))).isFIFO(), true);
    });

  it('never replaces a file whose editor has new unsaved text', async () => {
    meanwhile = async () => {
      const uri = { toString: () => join(folder, 'a.bin') };
      Object.assign(stub.workspace, { textDocuments: [{ isDirty: true, uri }] });
    };
    assert.deepEqual(await take('undo-1'), BEFORE);
    assert.match(notices[0]?.details?.join() ?? '', /changed in the meantime/);
  });
});
