import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { errorMessage } from '../../../src/base/errors';
import { Git, globalExcludes, ignoredNames } from '../../../src/node/gitCommand';
import { runGit } from '../../kit/runGit';
import { spawnWithoutFiles } from '../../kit/spawnWithoutFiles';
import { temporaryFolder } from '../../kit/temporaryFolder';

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
    base = temporaryFolder();
    folder = join(base, 'work');
    await mkdir(folder);
    git = new Git('git', join(base, 'storage'));
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

  it('takes no folder without .git for a repository', async function () {
    const [, minor] = /^git version 2\.(\d+)/.exec(runGit(folder, 'version')) ?? [];
    if (Number(minor) < 38) this.skip();
    const bare = join(folder, 'bare');
    runGit(folder, 'init', '-q', '--bare', bare);
    assert.match(runGit(bare, 'rev-parse', '--is-bare-repository'), /^true/);
    await assert.rejects(git.text(['rev-parse', '--is-bare-repository'], { cwd: bare }), /cannot use bare repository/);
  });

  describe('in a hostile repository', () => {
    beforeEach(function () {
      // The stand-ins are scripts.
      if (process.platform === 'win32') this.skip();
    });

    /** Git that writes the arguments and settings of each call into the file "calls", one line each. */
    async function recordingGit(first = ''): Promise<Git> {
      const program = join(base, 'recording-git');
      const note = `{ printf '%s ' "$@"; env | grep '^GIT_CONFIG_[CKV]' | sort | tr '\\n' ' '; echo; } >> '${base}/calls'`;
      await writeFile(program, `#!/bin/sh\n${note}\n${first}\nexec git "$@"\n`);
      await chmod(program, 0o755);
      const recording = new Git(program, join(base, 'storage'));
      assert.ok(await isFound(recording));
      await rm(join(base, 'calls'));
      return recording;
    }
    const calls = async () => (await readFile(join(base, 'calls'), 'utf8')).trim().split('\n');
    const configure = (key: string, value: string) => runGit(folder, 'config', key, value);

    it('turns off each hook of the configuration for calls that can run one', async () => {
      const recording = await recordingGit();
      configure('hook.jobs', '2');
      for (const name of ['lint', 'a=b.c d', '', 'ünï']) configure(`hook.${name}.event`, 'post-index-change');
      configure('hook.lint.command', 'touch ran');
      await recording.run(['read-tree', '--empty'], { cwd: folder });
      const [listing = '', call = '', ...more] = await calls();
      assert.match(listing, /config -z --name-only --get-regexp \^hook/);
      assert.doesNotMatch(listing, /GIT_CONFIG_COUNT/);
      const off = ['lint', 'a=b.c d', '', 'ünï'].map((name, at) => `GIT_CONFIG_KEY_${at}=hook.${name}.enabled`);
      const values = off.map((_, at) => `GIT_CONFIG_VALUE_${at}=false`);
      assert.match(call, /read-tree --empty GIT_CONFIG_COUNT=4 /);
      assert.ok(call.endsWith(['GIT_CONFIG_COUNT=4', ...off, ...values].join(' ')), call);
      assert.deepEqual(more, []);
    });

    it('asks for hooks only where git may run one, and the configuration is the user’s', async () => {
      const recording = await recordingGit();
      const gitDir = join(folder, '.git');
      configure('hook.lint.event', 'post-index-change');
      await recording.run(['-c', 'core.eol=lf', 'ls-files'], { cwd: folder });
      await recording.run(['worktree', 'list'], { cwd: folder });
      await recording.run(['read-tree', '--empty'], { cwd: folder, gitDir });
      assert.equal((await calls()).filter((call) => call.includes('get-regexp')).length, 0);
      await recording.run(['read-tree', '--empty'], { cwd: folder, gitDir, isUserRepository: true });
      await recording.exitCode(['-c', 'core.eol=lf', 'worktree', 'prune'], { cwd: folder });
      const off = (await calls()).filter((call) => call.includes('GIT_CONFIG_KEY_0=hook.lint.enabled'));
      assert.deepEqual(
        off.map((call) => / (read-tree|worktree) /.exec(call)?.[1]),
        ['read-tree', 'worktree'],
      );
    });

    it('turns off nothing where there is no such hook', async () => {
      const recording = await recordingGit();
      await recording.run(['read-tree', '--empty'], { cwd: folder });
      assert.doesNotMatch((await calls()).join('\n'), /GIT_CONFIG_COUNT/);
    });

    const remotes: [protocol: string, url: (program: string) => string][] = [
      ['ext', (program) => `ext::${program}`],
      ['ssh', () => 'ssh://host.invalid/repository'],
      ['file', () => `file://${base}/other`],
    ];
    for (const [protocol, url] of remotes) {
      it(`fetches no missing object by ${protocol}, even if the repository allows it and git is old`, async () => {
        const recording = await recordingGit('unset GIT_NO_LAZY_FETCH');
        const program = join(base, 'program');
        await writeFile(program, `#!/bin/sh\ntouch '${base}/ran'\n`);
        await chmod(program, 0o755);
        configure('core.repositoryFormatVersion', '1');
        configure('extensions.partialClone', 'far');
        configure('remote.far.url', url(program));
        configure('remote.far.promisor', 'true');
        configure('remote.far.uploadPack', program);
        configure('core.sshCommand', program);
        configure(`protocol.${protocol}.allow`, 'always');
        const object = '1234567890'.repeat(4);
        const read = recording.run(['cat-file', '-p', object], { cwd: folder });
        // Which of git's two errors comes first differs.
        await assert.rejects(read, /not a valid object name|not allowed/i);
        assert.equal(existsSync(join(base, 'ran')), false);
      });
    }
  });

  it('looks for git again after a call that timed out', async function () {
    if (process.platform === 'win32') this.skip();
    const program = join(base, 'slow-git');
    await writeFile(
      program,
      `#!/bin/sh\n[ -e '${base}/ran' ] || { touch '${base}/ran'; exec sleep 600; }\nexec git "$@"\n`,
    );
    await chmod(program, 0o755);
    git = new Git(program, join(base, 'storage'), undefined, 1000);
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
    const untrusted = new Git('git', join(base, 'storage'), () => false);
    const missing = new Git(join(base, 'none'), join(base, 'storage'));
    assert.deepEqual([await ignoredNames(untrusted, folder), await ignoredNames(missing, folder)], [[], []]);
  });
});
