import { toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { WorkspaceCheckpoints } from '../../../../src/review/checkpoints/workspaceCheckpoints';
import { RestoreCheckpoint } from '../../../../src/review/editor/restoreCheckpoint';
import type { Notice } from '../../../../src/workbench/notice';
import { makeTemporaryFolder, removeFolder } from '../../../host/workspace.mjs';
import { folderTemplate } from '../../../kit/folderTemplate';
import { eventually } from '../../../kit/waiting';
import { NOTHING_LEFT, WorktreeBench, onlyWithSh } from '../../worktrees/worktreeBench';
import { openReview, takeAll } from './takeBench';

const WINDOW = 'window-until-killed';
const [, , role, base = '', effect = '', id = ''] = process.argv;

/** The write of a file, and a crash of the window before or after it. */
async function step<T>(path: string, write: () => Promise<T>): Promise<T> {
  if (effect === `before ${basename(path)}`) process.kill(process.pid, 'SIGKILL');
  const done = await write();
  if (effect === `after ${basename(path)}`) process.kill(process.pid, 'SIGKILL');
  return done;
}

/** The other process: a window that is killed by its git, or at the write of a file. */
async function work(): Promise<void> {
  const bench = WorktreeBench.of(base);
  const program = join(base, 'killer.sh');
  const worktrees = await bench.window(program);
  await takeAll({ program, bench, worktrees }, worktrees.get(id) ?? assert.fail('no worktree'), step);
}

if (role === WINDOW) void work();
else
  describe('taking changes in a window that is killed', () => {
    let bench: WorktreeBench;
    /** All tests use one place, because git and Parley store paths. */
    let place: string;
    let worktree: string;

    const OLD = { 'a.txt': 'one\ntwo\nthree\n', 'gone.txt': 'gone\n', 'image.bin': '\0old', 'tool.sh': 'x echo\n' };
    const NEW = { 'a.txt': 'one\nTWO\nthree\n', 'image.bin': '\0new', 'new/b.txt': 'new\n', 'tool.sh': '+x echo\n' };

    const withWorktree = folderTemplate(async () => {
      bench = await WorktreeBench.open(place);
      for (const name of ['gone.txt', 'image.bin'] as const) await bench.write(name, OLD[name]);
      await bench.write('tool.sh', 'echo\n');
      bench.commit('files');
      const { id: created, path } = await bench.create();
      for (const name of ['a.txt', 'image.bin', 'new/b.txt'] as const) await bench.write(name, NEW[name], path);
      await rm(join(path, 'gone.txt'));
      await chmod(join(path, 'tool.sh'), 0o755);
      worktree = created;
      bench.worktrees.dispose();
      return place;
    });

    before(async () => {
      place = await realpath(await makeTemporaryFolder('take-crashes'));
      await withWorktree(place);
    });

    beforeEach(async () => {
      toasts.length = 0;
      await rm(place, { recursive: true, force: true, maxRetries: 10 });
      await withWorktree(place);
      bench = WorktreeBench.of(place);
    });

    after(() => removeFolder(place));

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

    /** @param at A file, or words of a git command with `git` before them. */
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

    /** Answers what is asked before files are undone. */
    async function answer(button?: string): Promise<void> {
      await eventually(() => assert.match(toasts[0]?.message ?? '', /What you have changed since .* is undone, too/));
      await toasts.shift()?.choose(button);
    }

    async function isClean(): Promise<void> {
      const { worktrees, branches } = bench.left() as { worktrees: number; branches: string[] };
      assert.deepEqual([worktrees, branches], [2, ['main', 'parley/fix-the-login']]);
      assert.equal(bench.git('diff', '--cached', '--name-only'), '', 'the index of the user');
    }

    /** The next window, with its notices about what was cut off. */
    async function nextStart(): Promise<{ checkpoints: WorkspaceCheckpoints; notices: readonly Notice[] }> {
      const { checkpoints } = await openReview('git', bench);
      const notices: Notice[] = [];
      const restore = new RestoreCheckpoint(
        checkpoints,
        () => true,
        (notice) => notice && notices.push(notice),
      );
      await restore.showInterrupted(await checkpoints.endInterrupted());
      return { checkpoints, notices };
    }

    onlyWithSh('leaves what the user wrote after it, unless the user agrees', async () => {
      await kill('after image.bin');
      await bench.write('a.txt', 'mine\n');
      const { notices } = await nextStart();
      const canceled = notices[0]?.button?.run();
      await answer();
      await canceled;
      assert.equal((await files())['a.txt'], 'mine\n');
      assert.equal(notices[1]?.button?.label, 'Undo', 'is offered again');
      const undone = notices[1]?.button?.run();
      await answer('Undo');
      await undone;
      assert.deepEqual(await files(), OLD);
    });

    for (const [at, changed] of [
      ['after git write-tree', 0],
      ['after git update-ref', 0],
      ['after gone.txt', 1],
      ['after image.bin', 3],
      ['after b.txt', 4],
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

          const { checkpoints, notices } = await nextStart();
          assert.equal(notices.length, changed === 0 ? 0 : 1);
          // What the user writes before the next start is not known from what was taken.
          const undone = notices[0]?.button?.run();
          if (changed > 0) await answer('Undo');
          await undone;
          assert.deepEqual(await files(), OLD);
          assert.deepEqual(await checkpoints.endInterrupted(), [], 'is offered once');

          const next = await bench.window();
          await next.cleanUp(() => true);
          const again = next.get(worktree) ?? assert.fail('no worktree');
          assert.deepEqual(await takeAll({ program: 'git', bench, worktrees: next }, again), []);
          assert.deepEqual(await files(), NEW);
          await isClean();
          await next.discard(worktree);
          assert.deepEqual(bench.left(), NOTHING_LEFT);
          next.dispose();
        },
      );
  });
