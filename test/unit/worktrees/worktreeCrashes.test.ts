import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOTHING_LEFT, WorktreeBench, onlyWithSh } from './worktreeBench';

const WINDOW = 'window-until-killed';
type Operation = 'create' | 'rename' | 'discard';
const [, , role, base = '', operation = '', id = ''] = process.argv;

/** The other process: a window that its git kills. */
async function work(what: string): Promise<void> {
  const window = await WorktreeBench.of(base).window(join(base, 'killer.sh'));
  if (what === 'create') await window.create({ folder: join(base, 'project'), text: 'x', include: [] });
  else if (what === 'rename') await window.renameBranch(id, 'Something else');
  else await window.discard(id);
}

if (role === WINDOW) void work(operation);
else
  describe('a window that is killed while it changes worktrees', () => {
    let bench: WorktreeBench;

    beforeEach(async () => {
      bench = await WorktreeBench.open();
    });

    afterEach(() => bench.close());

    /** Kills a window with SIGKILL before or after a git command. */
    async function kill(when: 'before' | 'after', step: string, what: Operation, worktree = ''): Promise<void> {
      const first = when === 'after' ? 'git "$@"; ' : '';
      const script = `#!/bin/sh\ncase "$*" in *"${step}"*) ${first}kill -9 $PPID; exit 1;; esac\nexec git "$@"\n`;
      await writeFile(join(bench.base, 'killer.sh'), script, { mode: 0o755 });
      const args = [__filename, WINDOW, bench.base, what, worktree];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      await once(child, 'exit');
      assert.equal(child.signalCode, 'SIGKILL');
    }

    for (const [when, step] of [
      ['before', 'worktree add'],
      ['after', 'worktree add'],
      ['after', 'reset --hard'],
      ['before', 'write-tree'],
      ['after', 'write-tree'],
    ] as const)
      onlyWithSh(`leaves nothing of a new one, ${when} git ${step}`, async () => {
        await kill(when, step, 'create');
        const next = await bench.window();
        assert.deepEqual(next.usable(), []);
        await next.cleanUp(() => true);
        assert.deepEqual(bench.left(), NOTHING_LEFT);
        next.dispose();
      });

    for (const when of ['before', 'after'] as const)
      onlyWithSh(`leaves a branch with one of its names, ${when} git branch -m`, async () => {
        const { id: worktree } = await bench.create();
        bench.worktrees.dispose();
        await kill(when, 'branch -m', 'rename', worktree);
        const next = await bench.window();
        await next.cleanUp(() => true);
        const branch = when === 'before' ? 'parley/fix-the-login' : 'parley/something-else';
        assert.equal(next.get(worktree)?.branch, branch);
        await next.discard(worktree);
        assert.deepEqual(bench.left(), NOTHING_LEFT);
        next.dispose();
      });

    for (const [when, step] of [
      ['before', 'worktree list'],
      ['before', 'worktree remove'],
      ['after', 'worktree remove'],
      ['after', 'update-ref --no-deref -d'],
    ] as const)
      onlyWithSh(`goes on with a discard at the next start, ${when} git ${step}`, async () => {
        const { id: worktree, path } = await bench.create();
        await bench.write('new.txt', 'uncommitted, and agreed to be lost', path);
        bench.worktrees.dispose();
        await kill(when, step, 'discard', worktree);
        const next = await bench.window();
        assert.deepEqual(next.usable(), []);
        next.reserve(path); // Its chat is open again.
        await next.cleanUp(() => true);
        assert.deepEqual(bench.left(), NOTHING_LEFT);
        assert.equal(existsSync(path), false);
        next.dispose();
      });
  });
