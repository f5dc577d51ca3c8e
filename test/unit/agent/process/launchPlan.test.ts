import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { resolveWindowsCommand } from '../../../../src/node/fs/resolveWindowsCommand';
import { processEnvironment, readLoginShellPath, isDesktopPath } from '../../../../src/node/process/processEnvironment';
import { listProcesses, parsePsLine, parseStat, processTreeOf } from '../../../../src/node/process/processTree';
import { batchCommandLine, isBatchFile } from '../../../../src/node/process/windowsCommand';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('environment of an agent', () => {
  it('omits variables that the editor sets for itself, unless the definition sets them', () => {
    const base = {
      PATH: '/bin',
      NODE_OPTIONS: '--inspect',
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_PID: '1',
      ELECTRON_NO_ASAR: '1',
      HOME: '/h',
      GONE: undefined,
    };
    const env = processEnvironment(base, { ELECTRON_RUN_AS_NODE: '1', KEY: 'k' }, false);
    assert.deepEqual(env, { PATH: '/bin', HOME: '/h', ELECTRON_RUN_AS_NODE: '1', KEY: 'k' });
  });

  it('replaces a variable on Windows in any letter case', () => {
    assert.deepEqual(processEnvironment({ Path: 'C:\\a' }, { PATH: 'C:\\b' }, true), { PATH: 'C:\\b' });
    assert.deepEqual(processEnvironment({ Path: 'a' }, { PATH: 'b' }, false), { Path: 'a', PATH: 'b' });
  });

  it('detects the PATH of a desktop start', () => {
    assert.ok(isDesktopPath('/usr/bin:/bin:/usr/sbin:/sbin'));
    assert.ok(isDesktopPath(undefined));
    assert.ok(!isDesktopPath('/home/me/.nvm/versions/node/v20/bin:/usr/bin'));
  });

  describe('PATH of the login shell', function () {
    const folder = temporaryFolder();
    const shell = (name: string, text: string): string => {
      const file = join(folder, name);
      writeFileSync(file, `#!/bin/sh\n${text}\n`);
      chmodSync(file, 0o755);
      return file;
    };
    before(function () {
      if (process.platform === 'win32') this.skip();
    });

    it('is found after the output of start-up files', async () => {
      const chatty = shell('chatty', 'echo Welcome; echo PATH=/no; PATH=/opt/agents:/bin exec /bin/sh -c "$2"');
      assert.equal(await readLoginShellPath(nullLogger, chatty), '/opt/agents:/bin');
    });

    it('has what only .bashrc of Bash sets, also where a profile does not read it', async () => {
      const home = join(folder, 'home');
      mkdirSync(home);
      const bash = shell('bash', `HOME='${home}'; export HOME; exec /bin/bash "$@"`);
      const start = (text: string): void =>
        writeFileSync(join(home, '.bashrc'), `echo Hello; PATH=/opt/bashrc:$PATH\n${text}`);
      start('case $- in *i*) ;; *) PATH=/no ;; esac');
      assert.match((await readLoginShellPath(nullLogger, bash)) ?? '', /^\/opt\/bashrc:/);
      start('exec false');
      const path = await readLoginShellPath(nullLogger, bash);
      assert.match(path ?? '', /^\/(?!opt)/, 'the PATH of the profile');
    });

    it('is skipped when the shell fails or hangs', async () => {
      assert.equal(await readLoginShellPath(nullLogger, shell('failing', 'exit 1')), undefined);
      assert.equal(await readLoginShellPath(nullLogger, shell('hanging', 'exec sleep 60'), 200), undefined);
      assert.equal(await readLoginShellPath(nullLogger, join(folder, 'missing')), undefined);
    });
  });
});

describe('commands on Windows', () => {
  const env = { Path: String.raw`C:\tools;C:\npm`, PATHEXT: '.EXE;.CMD' };
  const files = new Set([
    String.raw`C:\npm\npx.cmd`,
    String.raw`C:\npm\npx`,
    String.raw`C:\tools\node.exe`,
    String.raw`D:\w\bin\a.exe`,
  ]);
  const find = (command: string): string | undefined =>
    resolveWindowsCommand(command, String.raw`D:\w`, env, (path) => files.has(path));

  it('are searched along PATH with the extensions of PATHEXT', () => {
    assert.equal(find('npx'), String.raw`C:\npm\npx.cmd`);
    assert.equal(find('node'), String.raw`C:\tools\node.exe`);
    assert.equal(find('node.exe'), String.raw`C:\tools\node.exe`);
    assert.equal(find(String.raw`bin\a`), String.raw`D:\w\bin\a.exe`);
    assert.equal(find('missing'), undefined);
  });

  it('are not searched in relative folders of PATH or on the current drive', () => {
    const asked: string[] = [];
    const PATH = String.raw`.;bin;\tools;C:x;C:\tools`;
    resolveWindowsCommand('git.exe', String.raw`D:\w`, { PATH, PATHEXT: '.EXE' }, (path) => asked.push(path) < 0);
    assert.deepEqual(
      [...new Set(asked.map((path) => path.toLowerCase()))],
      [String.raw`c:\tools\git.exe`, String.raw`c:\tools\git.exe.exe`],
    );
  });

  it('that are batch files have their arguments quoted twice for cmd.exe', () => {
    assert.ok(isBatchFile(String.raw`C:\x\NPX.CMD`));
    assert.deepEqual(batchCommandLine(String.raw`C:\a b\x.cmd`, ['-y']), [
      '/d',
      '/s',
      '/c',
      String.raw`"^"C:\a^ b\x.cmd^" ^^^"-y^^^""`,
    ]);
    const [, , , line = ''] = batchCommandLine('x.cmd', [String.raw`a "b" & %PATH% c\ `]);
    const unescaped = line.slice(1, -1).replaceAll(/\^(.)/g, '$1').replaceAll(/\^(.)/g, '$1');
    assert.equal(unescaped, String.raw`"x.cmd" "a \"b\" & %PATH% c\ "`);
    assert.ok(!/[^^][&%]/.test(line), `nothing is left for cmd.exe to read: ${line}`);
  });

  it('reject line breaks in arguments', () => {
    assert.throws(() => batchCommandLine('x.cmd', ['a\nb']), /line break/);
  });
});

describe('process tree', () => {
  it('reads /proc and ps', () => {
    const stat = `42 (a ) b) S 7 40 40 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0 99887 1 2`;
    assert.deepEqual(parseStat(stat), [{ pid: 42, parent: 7, group: 40, born: '99887' }]);
    assert.deepEqual(parseStat(stat.replace(') S', ') Z')), []);
    const born = 'Thu Nov 20 10:00:00 2026';
    assert.deepEqual(parsePsLine(`  42   7  40 Ss+ ${born} `), [{ pid: 42, parent: 7, group: 40, born }]);
    assert.deepEqual(parsePsLine(`42 7 40 Z+ ${born}`), []);
    assert.deepEqual(parsePsLine('garbage'), []);
  });

  it('is listed once for simultaneous callers, and never before the call', async () => {
    const first = listProcesses();
    assert.equal(listProcesses(), first, 'one list for callers of the same moment');
    await first;
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    assert.ok((await listProcesses()).some(({ pid }) => pid === child.pid));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(!(await listProcesses()).some(({ pid }) => pid === child.pid));
  });

  it('contains descendants in other groups, and orphans of its own group', () => {
    const row = (pid: number, parent: number, group: number) => ({ pid, parent, group, born: '' });
    const rows = [
      row(1, 0, 1),
      row(12, 11, 12),
      row(10, 1, 10),
      row(11, 10, 11),
      row(13, 1, 10),
      row(14, 13, 14),
      row(99, 1, 99),
    ];
    const pids = processTreeOf(10, rows).map(({ pid }) => pid);
    assert.deepEqual(
      pids.toSorted((a, b) => a - b),
      [10, 11, 12, 13, 14],
    );
  });
});
