import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { RpcError, rpcCodes } from '../../src/base/jsonRpc';
import { NodePtyLoader } from '../../src/client/terminal/nodePty';
import { MAX_TERMINALS, TerminalFeature } from '../../src/client/terminal/terminalFeature';
import { listProcesses } from '../../src/node/process/processTree';
import {
  AGENT_SESSION,
  call,
  makeInside,
  makeOutside,
  RecordingSession,
  remove,
  nullLogger,
  workspaceFolder,
} from './clientHelp';

const node = process.execPath;
const env = [{ name: 'ELECTRON_RUN_AS_NODE', value: '1' }];

interface Output {
  output: string;
  truncated: boolean;
  exitStatus?: { exitCode: number | null; signal: string | null };
}

/** VS Code's own node-pty, as found in this extension host. */
const source = new NodePtyLoader(vscode.env.appRoot, nullLogger);

for (const tty of [true, false]) {
  describe(`terminals of the agent ${tty ? 'in pseudo-terminals' : 'on pipes'}`, () => {
    const end = tty ? '\r\n' : '\n';
    let folder: string;
    let session: RecordingSession;
    let terminals: TerminalFeature;
    let outputLimit: number;

    beforeEach(async () => {
      folder = await makeInside('terminals');
      session = new RecordingSession([workspaceFolder()]);
      // Programs in arguments require permission, which these tests do not cover.
      session.ownAnswer = true;
      outputLimit = 1024 * 1024;
      const pty = tty ? source : { get: async () => undefined };
      terminals = new TerminalFeature(session.lookup(), nullLogger, () => outputLimit, pty);
    });

    afterEach(async () => {
      await terminals.releaseAll(AGENT_SESSION);
      terminals.dispose();
      await remove(folder);
    });

    const create = async (params: object) =>
      ((await call(terminals, 'terminal/create', { env, ...params })) as { terminalId: string }).terminalId;
    const run = (script: string, more: object = {}) => create({ command: node, args: ['-e', script], ...more });
    const output = async (terminalId: string) => (await call(terminals, 'terminal/output', { terminalId })) as Output;
    const exit = (terminalId: string, signal?: AbortSignal) =>
      call(terminals, 'terminal/wait_for_exit', { terminalId }, signal);
    const shown = (terminalId: string) => session.state.terminals[terminalId];
    const forever = 'setInterval(() => {}, 1000)';
    const refused = (code: number, pattern: RegExp) => (error: unknown) => {
      assert(error instanceof RpcError, String(error));
      assert.match(error.message, pattern);
      assert.equal(error.code, code);
      return true;
    };

    it(`provide ${tty ? 'a TTY' : 'no TTY'} to the command`, async () => {
      const terminalId = await run('console.log(process.stdin.isTTY, process.stdout.isTTY, process.stdout.columns)');
      await exit(terminalId);
      const columns = tty ? 'true true 120' : 'undefined undefined undefined';
      assert.equal((await output(terminalId)).output, `${columns}\n`);
      assert.equal(shown(terminalId)?.tty, tty);
      assert.equal(terminals.tty(terminalId), undefined, 'nobody can type to what is over');
    });

    it('return without waiting, provide output and exit code, and add them to the transcript', async () => {
      const terminalId = await run(`console.log('out'); process.exitCode = 3`);
      assert.deepEqual(await exit(terminalId), { exitCode: 3, signal: null });
      const result = { output: 'out\n', truncated: false, exitStatus: { exitCode: 3, signal: null } };
      assert.deepEqual(await output(terminalId), result);
      await session.until(() => shown(terminalId)?.exit !== undefined);
      assert.equal(shown(terminalId)?.output, `out${end}`);
      assert.equal(shown(terminalId)?.exit?.code, 3);
      assert.deepEqual(
        session.actions.map(({ type }) => type),
        ['terminalCreated', 'terminalOutput', 'terminalExited'],
      );
    });

    it('pass arguments, variables and folder unchanged, without a shell', async () => {
      const args = ['$HOME', '`id`', 'a b', '; echo no', '*', ''];
      const script = 'console.log(JSON.stringify([process.argv.slice(1), process.env.X, process.cwd()]))';
      const more = { args: ['-e', script, ...args], env: [...env, { name: 'X', value: '$HOME "' }], cwd: folder };
      const terminalId = await create({ command: node, ...more });
      await exit(terminalId);
      assert.deepEqual(JSON.parse((await output(terminalId)).output), [args, '$HOME "', folder]);
    });

    it('run a command line without arguments in a shell', async () => {
      const terminalId = await create({ command: 'echo one && echo two | tr o 0', cwd: folder });
      assert.deepEqual(await exit(terminalId), { exitCode: 0, signal: null });
      assert.equal((await output(terminalId)).output, 'one\ntw0\n');
    });

    it('run a file whose name contains spaces', async () => {
      await writeFile(join(folder, 'my tool'), '#!/bin/sh\necho mine\n', { mode: 0o755 });
      const terminalId = await create({ command: join(folder, 'my tool') });
      await exit(terminalId);
      assert.equal((await output(terminalId)).output, 'mine\n');
    });

    it('return the output of a running command', async () => {
      const terminalId = await run(`console.log('started'); ${forever}`);
      await session.until(() => shown(terminalId)?.output === `started${end}`);
      assert.deepEqual(await output(terminalId), { output: 'started\n', truncated: false });
    });

    it('keep the end within the limit of the agent, cut at a character boundary', async () => {
      const terminalId = await run(`process.stdout.write('€'.repeat(100))`, { outputByteLimit: 10 });
      await exit(terminalId);
      const { output: text, truncated } = await output(terminalId);
      assert.deepEqual({ text, truncated }, { text: '€€€', truncated: true });
      assert.equal(shown(terminalId)?.output.length, 100);
    });

    it('keep the end within the limit of the setting', async () => {
      outputLimit = 1000;
      const terminalId = await run(`for (let i = 0; i < 1000; i++) console.log('line ' + i)`, { outputByteLimit: 1e9 });
      await exit(terminalId);
      const { output: text, truncated } = await output(terminalId);
      assert.equal(text.length, 1000);
      assert(truncated && text.endsWith('line 999\n'));
    });

    it('give the agent only the last state of overwritten lines, and the page everything', async () => {
      const script = `for (let i = 0; i <= 100; i += 50) process.stdout.write('\\r\\x1b[32m' + i + '%\\x1b[0m\\x1b[K'); console.log()`;
      const terminalId = await run(script);
      await exit(terminalId);
      const raw = [0, 50, 100].map((at) => `\r\u001b[32m${at}%\u001b[0m\u001b[K`).join('');
      assert.equal((await output(terminalId)).output, tty ? '100%\n' : `${raw}\n`);
      await session.until(() => shown(terminalId)?.exit !== undefined);
      assert.equal(shown(terminalId)?.output, raw + end);
    });

    it('merge fast output into few actions, and then end', async () => {
      const terminalId = await run(`for (let i = 0; i < 35000; i++) console.log('this is line ' + i)`);
      await exit(terminalId);
      assert((await output(terminalId)).output.endsWith('line 34999\n'));
      await session.until(() => shown(terminalId)?.exit !== undefined);
      const actions = session.actions.filter(({ type }) => type === 'terminalOutput').length;
      assert(actions < 500, `${actions} actions`);
      const endless = await create({ command: 'yes' });
      await session.until(() => (shown(endless)?.output.length ?? 0) > 100_000);
      await call(terminals, 'terminal/kill', { terminalId: endless });
    });

    it('kill the process tree; the id stays valid', async () => {
      const child = `require('child_process').spawn(process.execPath, ['-e', '${forever}'], { stdio: 'inherit', detached: true })`;
      const terminalId = await run(`process.on('SIGTERM', () => {}); console.log(${child}.pid); ${forever}`);
      await session.until(() => shown(terminalId)?.output.includes('\n') === true);
      const pid = Number((await output(terminalId)).output);
      assert((await listProcesses()).some((row) => row.pid === pid));
      assert.deepEqual(await call(terminals, 'terminal/kill', { terminalId }), {});
      assert(!(await listProcesses()).some((row) => row.pid === pid));
      const killed = { exitCode: null, signal: 'SIGKILL' };
      assert.deepEqual(await exit(terminalId), killed);
      assert.deepEqual((await output(terminalId)).exitStatus, killed);
      assert.equal(shown(terminalId)?.exit?.signal, 'SIGKILL');
    });

    it('end the command on release; the id is invalid, and the card keeps its output', async () => {
      const terminalId = await run(`console.log(String(process.pid)); ${forever}`);
      await session.until(() => shown(terminalId)?.output.includes('\n') === true);
      const pid = Number((await output(terminalId)).output);
      const waiting = exit(terminalId);
      assert.deepEqual(await call(terminals, 'terminal/release', { terminalId }), {});
      assert.deepEqual(await waiting, { exitCode: null, signal: 'SIGTERM' });
      assert(!(await listProcesses()).some((row) => row.pid === pid));
      for (const method of ['output', 'wait_for_exit', 'kill', 'release']) {
        await assert.rejects(call(terminals, `terminal/${method}`, { terminalId }), refused(-32602, /was released/));
      }
      assert.equal(shown(terminalId)?.output, `${pid}${end}`);
      await assert.rejects(output('no-such-terminal'), refused(-32602, /"no-such-terminal" does not exist/));
    });

    it('are stopped by the user', async () => {
      const terminalId = await run(forever);
      terminals.stop(terminalId);
      assert.deepEqual(await exit(terminalId), { exitCode: null, signal: 'SIGTERM' });
      await session.until(() => shown(terminalId)?.exit?.signal === 'SIGTERM');
    });

    it('resolve a canceled wait', async () => {
      const terminalId = await run(forever);
      const abort = new AbortController();
      const waiting = exit(terminalId, abort.signal);
      abort.abort();
      await assert.rejects(waiting, refused(rpcCodes.requestCancelled, /cancelled/));
      assert.equal((await output(terminalId)).exitStatus, undefined);
    });

    it('report a command that cannot be started', async () => {
      await writeFile(join(folder, 'data'), 'x', { mode: 0o644 });
      await assert.rejects(
        create({ command: 'no-such-command-here', args: ['x'] }),
        refused(-32603, /"no-such-command-here" was not found/),
      );
      await assert.rejects(create({ command: join(folder, 'data') }), refused(-32603, /data" is not executable/));
      assert.deepEqual(session.actions, []);
    });

    it('run outside the workspace only after approval', async () => {
      const outside = await makeOutside('terminals');
      await symlink(outside, join(folder, 'out'));
      await writeFile(join(folder, 'file'), '');
      await mkdir(join(folder, 'in'));
      const pwd = (cwd: string) => run('console.log(process.cwd())', { cwd });
      session.ownAnswer = false;
      for (const place of [outside, join(folder, 'out')]) {
        await assert.rejects(pwd(place), /was not run: the user rejected it/);
      }
      assert.equal(session.ownQuestions.length, 2);
      session.ownAnswer = true;
      await assert.rejects(pwd('in'), refused(-32602, /"cwd" must be an absolute path: in/));
      await assert.rejects(pwd(join(folder, 'none')), refused(-32602, /"cwd" does not exist/));
      await assert.rejects(pwd(join(folder, 'file')), refused(-32602, /"cwd" is not a folder/));
      const terminalId = await pwd(join(folder, 'in'));
      await exit(terminalId);
      assert.equal((await output(terminalId)).output, `${join(folder, 'in')}\n`);
      await remove(outside);
    });

    it('are limited to a number of running commands in a session', async () => {
      const command = { command: 'sleep', args: ['600'] };
      const ids = await Promise.all(Array.from({ length: MAX_TERMINALS }, () => create(command)));
      await assert.rejects(create(command), refused(-32603, /64 commands.*terminal\/release/));
      await call(terminals, 'terminal/release', { terminalId: ids[0] });
      await create(command);
    });

    it('end with the session and with the connection', async () => {
      const pids: number[] = [];
      const start = async () => {
        const terminalId = await run(`console.log(String(process.pid)); ${forever}`);
        await session.until(() => shown(terminalId)?.output.includes('\n') === true);
        pids.push(Number((await output(terminalId)).output));
        return terminalId;
      };
      await start();
      await terminals.releaseAll(AGENT_SESSION);
      assert(!(await listProcesses()).some((row) => row.pid === pids[0]));
      const terminalId = await start();
      const waiting = exit(terminalId);
      terminals.dispose();
      assert.deepEqual(await waiting, { exitCode: null, signal: 'SIGKILL' });
    });
  });
}
