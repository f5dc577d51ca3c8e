import { stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { Git } from '../../../../src/node/git/gitCommand';
import { BlobStore } from '../../../../src/review/checkpoints/blobStore';
import { CheckpointStore } from '../../../../src/review/checkpoints/checkpointStore';
import { WorkspaceCheckpoints } from '../../../../src/review/checkpoints/workspaceCheckpoints';
import { RestoreCheckpoint } from '../../../../src/review/editor/restoreCheckpoint';
import { WorkspaceSnapshots } from '../../../../src/review/git/workspaceSnapshots';
import { ChangeTracker } from '../../../../src/review/tracking/changeTracker';
import { readContent, unknownBecause, writeContent } from '../../../../src/review/tracking/fileContent';
import { ModifiedFiles } from '../../../../src/review/tracking/modifiedFiles';
import { ReviewScopes } from '../../../../src/review/tracking/reviewScope';
import type { WorkingFiles } from '../../../../src/review/tracking/workingFiles';
import { TakeChanges } from '../../../../src/ui/worktrees/takeChanges';
import type { Notice } from '../../../../src/workbench/notice';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { NOTHING_LEFT, WorktreeBench, onlyWithSh } from '../../worktrees/worktreeBench';

const WINDOW = 'window-until-killed';
const [, , role, base = '', effect = '', id = ''] = process.argv;

/** A step of VS Code's, and the death of the window before or after it. */
async function step(name: string, run: () => Promise<unknown>): Promise<void> {
  if (effect === `before ${name}`) process.kill(process.pid, 'SIGKILL');
  await run();
  if (effect === `after ${name}`) process.kill(process.pid, 'SIGKILL');
}

/** An editor without unsaved text. */
async function openTextDocument(uri: { fsPath: string }): Promise<object> {
  const document = {
    uri,
    eol: 1,
    isDirty: false,
    text: await readFile(uri.fsPath, 'utf8'),
    getText: () => document.text,
    positionAt: (offset: number) => offset,
    save: () => step('save', () => writeFile(uri.fsPath, document.text)).then(() => true),
  };
  documents.set(uri.fsPath, document);
  return document;
}

const documents = new Map<string, { text: string }>();
type Edit = () => Promise<unknown>;

class WorkspaceEdit {
  readonly edits: Edit[] = [];
  replace({ fsPath }: { fsPath: string }, { start, end }: { start: number; end: number }, text: string): void {
    const document = documents.get(fsPath) ?? assert.fail(fsPath);
    this.edits.push(async () => {
      document.text = document.text.slice(0, start) + text + document.text.slice(end);
    });
  }
  createFile({ fsPath }: { fsPath: string }, { contents }: { contents: Buffer }): void {
    this.edits.push(() =>
      step('create', () => mkdir(dirname(fsPath), { recursive: true }).then(() => writeFile(fsPath, contents))),
    );
  }
  deleteFile({ fsPath }: { fsPath: string }): void {
    this.edits.push(() => step('delete', () => rm(fsPath)));
  }
}

function stubEditor(folder: string): void {
  const uriOf = (fsPath: string): object => ({ scheme: 'file', fsPath, toString: () => fsPath });
  class Range {
    readonly start: number;
    readonly end: number;
    constructor(start: number, end: number) {
      this.start = start;
      this.end = end;
    }
  }
  Object.assign(stub, { WorkspaceEdit, Range });
  Object.assign(stub.Uri, { file: uriOf });
  Object.assign(stub.workspace, {
    workspaceFolders: [{ uri: uriOf(folder) }],
    textDocuments: [],
    openTextDocument,
    applyEdit: async ({ edits }: WorkspaceEdit) => {
      for (const edit of edits) await edit();
      return true;
    },
    fs: {
      writeFile: ({ fsPath }: { fsPath: string }, bytes: Uint8Array) =>
        step('overwrite', () => writeFile(fsPath, bytes)),
    },
  });
}

/** The checkpoints and the review of a window on the workspace. */
async function openReview(
  program: string,
  { folder, base: root }: WorktreeBench,
): Promise<{ checkpoints: WorkspaceCheckpoints; tracker: ChangeTracker }> {
  const storage = join(root, 'review');
  const store = new CheckpointStore(join(storage, 'checkpoints.json'));
  await store.load();
  const scopes = new ReviewScopes(
    () => [folder],
    () => [],
    () => [folder],
  );
  const ledger = new ModifiedFiles((path) => path);
  const git = new Git({ program, folder: join(root, 'git') });
  const roots = new WorkspaceSnapshots({
    git,
    log: nullLogger,
    storage: join(storage, 'git'),
    folders: () => scopes.all(),
  });
  const files: WorkingFiles = {
    unsaved: async () => undefined,
    saved: async () => undefined,
    disk: readContent,
    unknownBecause,
    write: (path, next) => writeContent(path, next),
    writeUnsaved: () => Promise.reject(new Error('no editors here')),
    unsavedPaths: () => [],
  };
  const tracker = new ChangeTracker({
    ledger,
    files,
    baseline: { lookUp: (paths) => roots.lookUp(paths), changedPaths: () => roots.changedPaths(() => false) },
    log: nullLogger,
    sessionsWorkingOn: () => [],
    uncovered: (path, content) => checkpoints.copy(path, content),
  });
  const checkpoints = new WorkspaceCheckpoints({
    store,
    blobs: new BlobStore(join(storage, 'blobs')),
    roots,
    ledger,
    tracker,
    files,
    log: nullLogger,
    now: Date.now,
    limits: () => ({ maxAgeDays: 30, maxSizeMB: 1024 }),
    scopes,
    busy: () => undefined,
    restored: () => undefined,
    undone: () => undefined,
  });
  return { checkpoints, tracker };
}

/** Takes all changes of a worktree, as its button does. */
async function takeAll(program: string, bench: WorktreeBench, worktrees: Worktrees, worktree: string): Promise<void> {
  stubEditor(bench.folder);
  const { checkpoints, tracker } = await openReview(program, bench);
  const problems: string[] = [];
  const take = new TakeChanges({
    worktrees,
    edit: (session, path, write) => tracker.runAgentEdit(session, path, write),
    checkpointed: (session, change) => checkpoints.around(session, change),
    showNotice: (notice) => problems.push(...(notice?.details ?? [])),
    review: async () => undefined,
  });
  await take.all(worktrees.get(worktree) ?? assert.fail('no worktree'));
  await checkpoints.idle();
  assert.deepEqual(problems, []);
}

/** The other process: a window that is killed by its git, or at a step of its editor. */
async function work(): Promise<void> {
  const bench = WorktreeBench.of(base);
  const program = join(base, 'killer.sh');
  await takeAll(program, bench, await bench.window(program), id);
}

if (role === WINDOW) void work();
else
  describe('a window that is killed while it takes changes', () => {
    let bench: WorktreeBench;
    let worktree: string;

    const OLD = { 'a.txt': 'one\ntwo\nthree\n', 'gone.txt': 'gone\n', 'image.bin': '\0old', 'tool.sh': 'x echo\n' };
    const NEW = { 'a.txt': 'one\nTWO\nthree\n', 'image.bin': '\0new', 'new/b.txt': 'new\n', 'tool.sh': '+x echo\n' };

    beforeEach(async () => {
      bench = await WorktreeBench.open();
      for (const name of ['gone.txt', 'image.bin'] as const) await bench.write(name, OLD[name]);
      await bench.write('tool.sh', 'echo\n');
      bench.commit('files');
      const { id: created, path } = await bench.create();
      for (const name of ['a.txt', 'image.bin', 'new/b.txt'] as const) await bench.write(name, NEW[name], path);
      await rm(join(path, 'gone.txt'));
      await chmod(join(path, 'tool.sh'), 0o755);
      worktree = created;
      bench.worktrees.dispose();
    });

    afterEach(() => bench.close());

    /** With the mode of the only program. */
    async function files(): Promise<Record<string, string>> {
      const found: Record<string, string> = {};
      for (const name of ['a.txt', 'gone.txt', 'image.bin', 'new/b.txt', 'tool.sh']) {
        const path = join(bench.folder, name);
        if (!existsSync(path)) continue;
        const mode = name === 'tool.sh' ? (((await stat(path)).mode & 0o100) === 0 ? 'x ' : '+x ') : '';
        found[name] = mode + (await readFile(path, 'utf8'));
      }
      return found;
    }

    /** @param at a step of the editor, or of git with `git` before its words */
    async function kill(at: string): Promise<void> {
      const [when = '', words = ''] = at.split(' git ');
      const first = when === 'after' ? 'git "$@"; ' : '';
      const killer = words === '' ? '' : `case "$*" in *"${words}"*) ${first}kill -9 $PPID; exit 1;; esac\n`;
      await writeFile(join(bench.base, 'killer.sh'), `#!/bin/sh\n${killer}exec git "$@"\n`, { mode: 0o755 });
      const args = [__filename, WINDOW, bench.base, at, worktree];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      await once(child, 'exit');
      assert.equal(child.signalCode, 'SIGKILL');
    }

    async function isClean(): Promise<void> {
      const { worktrees, branches } = bench.left() as { worktrees: number; branches: string[] };
      assert.deepEqual([worktrees, branches], [2, ['main', 'parley/fix-the-login']]);
      assert.equal(bench.git('diff', '--cached', '--name-only'), '', 'the index of the user');
    }

    for (const [at, changed] of [
      ['before git add --all', 0],
      ['after git write-tree', 0],
      ['before git update-ref', 0],
      ['after git update-ref', 0],
      ['after git cat-file', 0],
      ['before delete', 0],
      ['after delete', 1],
      ['after save', 2],
      ['after overwrite', 3],
      ['after create', 4],
    ] as const)
      onlyWithSh(
        `leaves each file as before or as taken, and all are undone or taken at the next start, ${at}`,
        async () => {
          await kill(at);
          const left = await files();
          const isNew = (name: string): boolean => left[name] === (NEW as Record<string, string>)[name];
          const isOld = (name: string): boolean => left[name] === (OLD as Record<string, string>)[name];
          const names = Object.keys({ ...OLD, ...NEW });
          assert.deepEqual(
            names.filter((name) => !isNew(name) && !isOld(name)),
            [],
          );
          assert.equal(names.filter(isNew).length, changed);
          await isClean();

          const { checkpoints } = await openReview('git', bench);
          const notices: Notice[] = [];
          const restore = new RestoreCheckpoint(
            checkpoints,
            () => true,
            (notice) => notice && notices.push(notice),
          );
          restore.showInterrupted(await checkpoints.interrupted());
          assert.equal(notices.length, changed === 0 ? 0 : 1);
          await notices[0]?.button?.run();
          assert.deepEqual(await files(), OLD);
          assert.deepEqual(await checkpoints.interrupted(), [], 'is offered once');

          const next = await bench.window();
          await next.cleanUp(() => true);
          await takeAll('git', bench, next, worktree);
          assert.deepEqual(await files(), NEW);
          await isClean();
          await next.discard(worktree);
          assert.deepEqual(bench.left(), NOTHING_LEFT);
          next.dispose();
        },
      );
  });
