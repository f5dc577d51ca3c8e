import assert from 'node:assert/strict';
import { createDeferred, KeyedQueue } from '../../../../src/base/async';
import { nullLogger } from '../../../../src/base/logger';
import { LastSeenContents } from '../../../../src/client/fs/lastSeenContents';
import {
  commandEnvironment,
  displayCommand,
  isCommandLine,
  isWholeLine,
  planSpawn,
  type SpawnPlan,
} from '../../../../src/client/terminal/commandLine';
import { OutputBatcher } from '../../../../src/client/terminal/outputBatcher';
import { PipedCommand } from '../../../../src/client/terminal/pipedCommand';
import { parseCreate } from '../../../../src/client/terminal/terminalParams';
import { listProcesses } from '../../../../src/node/process/processTree';
import { onWindows } from '../../../kit/onWindows';

describe('client/terminal/commandLine', () => {
  const env = { PATH: process.env['PATH'] ?? '' };

  async function planOf(command: string, cwd: string, variables = env): Promise<SpawnPlan> {
    return planSpawn({ command, args: [], isLine: await isWholeLine(command, [], cwd) }, cwd, variables);
  }

  it('distinguishes a command line from a program', () => {
    for (const line of ['npm test', 'a|b', 'a && b', 'echo $HOME', '~/x', 'a>b']) assert(isCommandLine(line), line);
    for (const program of ['npm', '/usr/bin/node', './run.sh', 'g++', 'a-b_c.d'])
      assert(!isCommandLine(program), program);
  });

  it('starts a program with its arguments unchanged', async () => {
    const args = ['a b', '$(touch x)', ';', '&&'];
    assert.deepEqual(await planSpawn({ command: 'echo it', args, isLine: false }, '/', env), {
      file: 'echo it',
      args,
      isVerbatim: false,
    });
    assert.deepEqual(await planOf('ls', '/'), { file: 'ls', args: [], isVerbatim: false });
  });

  it('passes a whole line to a shell as one argument', async () => {
    const plan = await planOf('echo "a b" | cat', '/');
    assert.match(plan.file, /\/(bash|sh)$/);
    assert.deepEqual(plan.args, ['-c', 'echo "a b" | cat']);
    assert.equal((await planOf('a b', '/', { PATH: '' })).file, '/bin/sh');
  });

  it('does not start a program from the current folder on Windows', async () => {
    const env = { PATH: String.raw`C:\no-such-folder` };
    const plan = (): Promise<unknown> =>
      planSpawn({ command: 'git', args: ['status'], isLine: false }, String.raw`D:\w`, env);
    await onWindows(() => assert.rejects(plan(), { code: 'ENOENT' }));
  });

  it('displays a command line unambiguously', () => {
    assert.equal(displayCommand('npm', ['test', '--', 'a b', "it's", '']), `npm test -- "a b" "it's" ""`);
    assert.equal(displayCommand('a && b', []), 'a && b');
  });

  it('removes variables of the editor from the environment, and keeps those of the agent', () => {
    const editor = {
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_PID: '1',
      PAGER: 'less',
      TERM: 'xterm',
      COLUMNS: '40',
      LINES: '9',
    };
    const person = { PATH: '/bin', HOME: '/h', ...editor };
    const quiet = { GIT_EDITOR: 'true', GIT_TERMINAL_PROMPT: '0', DEBIAN_FRONTEND: 'noninteractive' };
    const kept = { PATH: '/bin', HOME: '/h', PAGER: 'cat', GIT_PAGER: 'cat', ...quiet };
    const piped = commandEnvironment(person, { X: 'y' }, { isWindows: false, hasTty: false });
    assert.deepEqual(piped, { ...kept, TERM: 'dumb', X: 'y' });
    const drawn = commandEnvironment(person, { GIT_PAGER: 'less' }, { isWindows: false, hasTty: true });
    assert.deepEqual(drawn, { ...kept, TERM: 'xterm-256color', COLORTERM: 'truecolor', GIT_PAGER: 'less' });
    assert.equal(commandEnvironment(person, { TERM: 'vt100' }, { isWindows: false, hasTty: true })['TERM'], 'vt100');
  });

  it('parses parameters of agents', () => {
    const params = {
      sessionId: 's',
      command: 'x',
      env: [{ name: 'A', value: '1' }, { name: 'B' }, 7],
      args: null,
      outputByteLimit: -3,
    };
    assert.deepEqual(parseCreate(params), {
      sessionId: 's',
      command: 'x',
      args: [],
      env: { A: '1' },
      outputByteLimit: 0,
    });
    assert.throws(() => parseCreate({ sessionId: 's', command: ' ' }), /"command"/);
    assert.throws(() => parseCreate({ sessionId: 's', command: 'x', args: ['a', 1] }), /"args\[1\]"/);
    assert.throws(() => parseCreate({ sessionId: 's', command: 'x', env: [{ name: 'A=B', value: '' }] }), /A=B/);
  });
});

describe('client/terminal/pipedCommand', () => {
  const where = { cwd: '/', env: { PATH: process.env['PATH'] ?? '' } };

  it('decodes characters that are split between two chunks', async () => {
    const script = `process.stdout.write(Buffer.from([0xe2,0x82]),()=>setTimeout(()=>process.stdout.write(Buffer.from([0xac,0xe2])),20))`;
    let output = '';
    const onData = (text: string) => {
      output += text;
      return true;
    };
    const plan = { file: process.execPath, args: ['-e', script], isVerbatim: false };
    const started = await PipedCommand.start(plan, where, nullLogger, onData);
    assert.deepEqual(await started.done, { exitCode: 0, signal: null });
    assert.equal(output, '€�');
  });

  it('pauses and resumes without loss', async () => {
    let length = 0;
    const plan = { file: process.execPath, args: ['-e', `process.stdout.write('x'.repeat(3e6))`], isVerbatim: false };
    const started = await PipedCommand.start(plan, where, nullLogger, (text) => {
      length += text.length;
      setImmediate(() => started.resume());
      return false;
    });
    await started.done;
    assert.equal(length, 3_000_000);
  });

  it('ends background processes without waiting for them', async () => {
    const plan = { file: 'sh', args: ['-c', 'sleep 1000 & echo $!'], isVerbatim: false };
    let output = '';
    const started = await PipedCommand.start(plan, where, nullLogger, (text) => {
      output += text;
      return true;
    });
    assert.deepEqual(await started.done, { exitCode: 0, signal: null });
    const pid = Number(output);
    const runs = async () => (await listProcesses()).some((row) => row.pid === pid);
    assert(await runs());
    await started.lifetime.end();
    assert(!(await runs()));
  });

  it('rejects if the program does not exist', async () => {
    const plan = { file: 'no-such-program-here', args: [], isVerbatim: false };
    await assert.rejects(
      PipedCommand.start(plan, where, nullLogger, () => true),
      { code: 'ENOENT' },
    );
  });
});

describe('client/terminal/agentTerminal: output batcher', () => {
  it('merges the output of one tick, and requests a pause at its limit', async () => {
    const sent: string[] = [];
    const first = createDeferred<void>();
    const feed = new OutputBatcher((data) => {
      sent.push(data);
      first.resolve();
    });
    assert(feed.push('a'));
    assert(feed.push('b'));
    await first.promise;
    assert.deepEqual(sent, ['ab']);
    assert(!feed.push('x'.repeat(1024 * 1024 + 1)));
    feed.flush();
    assert.equal(sent[1]?.length, 1024 * 1024);
    feed.flush();
    assert.equal(sent.length, 2);
    feed.push('late');
    feed.dispose();
    feed.flush();
    assert.equal(sent.length, 2);
  });
});

describe('base/async KeyedQueue', () => {
  it('keeps the order for one key without delaying other keys', async () => {
    const queue = new KeyedQueue();
    const gate = createDeferred<void>();
    const done: string[] = [];
    const slow = queue.run('/a', async () => {
      await gate.promise;
      done.push('a1');
    });
    const failing = queue.run('/a', async () => {
      done.push('a2');
      throw new Error('no');
    });
    const next = queue.run('/a', async () => done.push('a3'));
    await queue.run('/b', async () => done.push('b'));
    assert.deepEqual(done, ['b']);
    gate.resolve();
    await slow;
    await assert.rejects(failing, /no/);
    await next;
    assert.deepEqual(done, ['b', 'a1', 'a2', 'a3']);
  });
});

describe('client/fs/lastSeenContents', () => {
  it('stores texts per session, marks texts that the user edited, and forgets sessions', () => {
    const known = new LastSeenContents();
    known.set('s', '/a', { text: '1', isEdited: false });
    known.set('t', '/a', { text: '2', isEdited: false });
    known.markEdited('/a');
    known.set('t', '/a', { text: '3', isEdited: false });
    assert.deepEqual(known.get('s', '/a'), { text: '1', isEdited: true });
    assert.deepEqual(known.get('t', '/a'), { text: '3', isEdited: false });
    known.forgetSession('s');
    assert.equal(known.get('s', '/a'), undefined);
    assert.equal(known.get('t', '/a')?.text, '3');
  });

  it('forgets the oldest text first, and does not store large texts', () => {
    const known = new LastSeenContents();
    const text = 'x'.repeat(4 * 1024 * 1024);
    for (const path of ['/1', '/2', '/3', '/4']) known.set('s', path, { text, isEdited: false });
    known.set('s', '/1', { text, isEdited: false });
    known.set('s', '/5', { text, isEdited: false });
    assert.equal(known.get('s', '/2'), undefined);
    for (const path of ['/1', '/3', '/4', '/5']) assert(known.get('s', path), path);
    known.set('s', '/5', { text: `${text}x`, isEdited: false });
    assert.equal(known.get('s', '/5'), undefined);
  });
});
