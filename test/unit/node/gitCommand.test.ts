import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { errorMessage } from '../../../src/base/errors';
import { Git, globalExcludes, ignoredNames } from '../../../src/node/gitCommand';
import { spawnWithoutFiles } from '../spawnWithoutFiles';
import { runGit } from '../../runGit';

/** Whether git is found, now or after retries on a busy machine. */
async function isFound(git: Git): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) if (await git.available()) return true;
  return false;
}

describe('node/git/gitCommand', () => {
  const before = { ...process.env };
  let base: string;
  let folder: string;
  let git: Git;

  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'parley-git-')));
    folder = join(base, 'work');
    await mkdir(folder);
    git = new Git({ program: 'git', folder: join(base, 'storage') });
    runGit(folder, 'init', '-q');
  });

  afterEach(() => {
    process.env = { ...before };
    return rm(base, { recursive: true, force: true });
  });

  it('finds the global ignore file in the home folder, where HOME is not set (Windows)', async () => {
    delete process.env['XDG_CONFIG_HOME'];
    delete process.env['HOME'];
    const found = await globalExcludes(git, folder);
    assert.ok(isAbsolute(found), found);
    assert.equal(found, join(homedir(), '.config', 'git', 'ignore'));
  });

  it('writes long paths on Windows', async () => {
    assert.ok(await git.available());
    assert.equal(await git.text(['config', '--get', 'core.longpaths'], { cwd: folder }), 'true');
  });

  it('explains that too many files are open, and runs again when some are closed', async () => {
    const failed = spawnWithoutFiles(() => git.text(['version'], { cwd: folder }));
    await assert.rejects(failed, (error) => {
      assert.match(errorMessage(error), /^Too many files are open: close .*\(spawn git EMFILE\)$/);
      return true;
    });
    assert.match(await git.text(['version'], { cwd: folder }), /^git version/);
  });

  it('lists names that the repository and the user ignore, and runs no program of the repository', async function () {
    if (process.platform === 'win32') this.skip();
    process.env['XDG_CONFIG_HOME'] = join(base, 'config');
    await mkdir(join(base, 'config', 'git'), { recursive: true });
    await writeFile(join(base, 'config', 'git', 'ignore'), '*.own\n');
    await writeFile(join(folder, '.gitignore'), 'out/\n*.log\n');
    await mkdir(join(folder, 'out'));
    for (const name of ['out/a', 'b.log', 'c.own', 'ä d.txt']) await writeFile(join(folder, name), '');
    const program = join(base, 'program');
    await writeFile(program, `#!/bin/sh\ntouch '${base}/ran'\n`);
    await chmod(program, 0o755);
    runGit(folder, 'config', 'core.fsmonitor', program);
    assert.deepEqual((await ignoredNames(git, folder)).toSorted(), ['b.log', 'c.own', 'out']);
    assert.equal(existsSync(join(base, 'ran')), false);
  });

  it('looks for git again after a call that timed out', async function () {
    if (process.platform === 'win32') this.skip();
    const program = join(base, 'slow-git');
    await writeFile(
      program,
      `#!/bin/sh\n[ -e '${base}/ran' ] || { touch '${base}/ran'; exec sleep 600; }\nexec git "$@"\n`,
    );
    await chmod(program, 0o755);
    git = new Git({ program, folder: join(base, 'storage'), deadline: 1000 });
    assert.equal(await git.available(), false);
    assert.ok(await isFound(git));
  });

  it('stops waiting for a repository that hangs', async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [join(folder, '.gitignore')]);
    await assert.rejects(ignoredNames(git, folder, 300), /timed out/);
  });

  it('lists nothing in an untrusted workspace or without git', async () => {
    await writeFile(join(folder, '.gitignore'), '*.log\n');
    await writeFile(join(folder, 'b.log'), '');
    const untrusted = new Git({ program: 'git', folder: join(base, 'storage'), permitted: () => false });
    const missing = new Git({ program: join(base, 'none'), folder: join(base, 'storage') });
    assert.deepEqual([await ignoredNames(untrusted, folder), await ignoredNames(missing, folder)], [[], []]);
  });
});
