import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Emitter } from '../../../../src/base/event';
import type { Logger } from '../../../../src/base/logger';
import { nullLogger } from '../../../../src/base/logger';
import type { RunningCommand } from '../../../../src/client/terminal/commandHandle';
import { fitsArgumentLimit, requireProgram } from '../../../../src/client/terminal/commandLine';
import type { LoadModule, PtyHandle, PtyModule } from '../../../../src/client/terminal/nodePty';
import { NodePtyLoader } from '../../../../src/client/terminal/nodePty';
import { RenderedOutput } from '../../../../src/client/terminal/renderedOutput';
import { startCommand } from '../../../../src/client/terminal/terminalFeature';
import { listProcesses } from '../../../../src/node/process/processTree';
import { temporaryFolder } from '../../../kit/temporaryFolder';

const PATH = process.env['PATH'] ?? '';

class Lines {
  readonly lines: string[] = [];
  readonly log: Logger = {
    ...nullLogger,
    info: (_tag, text) => void this.lines.push(text),
    warn: (_tag, text) => void this.lines.push(text),
  };
}

/** A module whose commands write `output` and exit with `code`; undefined: they never exit. */
function fakeModule(output: string, code: number | undefined): PtyModule & { killed: number } {
  const module = {
    killed: 0,
    spawn: (): PtyHandle => {
      const data = new Emitter<string>();
      const exit = new Emitter<{ exitCode: number }>();
      setImmediate(() => {
        data.fire(output);
        if (code !== undefined) exit.fire({ exitCode: code });
      });
      const nothing = (): void => undefined;
      const streams = { onData: data.event, onExit: exit.event };
      return {
        pid: 1,
        ...streams,
        write: nothing,
        resize: nothing,
        pause: nothing,
        resume: nothing,
        kill: () => module.killed++,
      };
    },
  };
  return module;
}

describe('client/terminal/nodePty', () => {
  const good = fakeModule('parley-pty\r\n', 0);
  const find = (load: LoadModule, log: Logger = nullLogger) => new NodePtyLoader('/app', log, load).get();

  it('searches all locations in VS Code, and logs the one it uses', async () => {
    for (const place of ['node_modules', 'node_modules.asar', 'node_modules.asar.unpacked']) {
      const { log, lines } = new Lines();
      const path = join('/app', place, 'node-pty');
      const load = (asked: string): unknown => {
        if (asked === path) return good;
        throw new Error('Cannot find module');
      };
      assert.equal(await find(load, log), good);
      assert.deepEqual(lines, [`Loaded node-pty of VS Code for commands of agents: ${path}`]);
    }
  });

  it('is loaded once, on first use', async () => {
    let loads = 0;
    const source = new NodePtyLoader('/app', nullLogger, () => (loads++, good));
    assert.equal(loads, 0);
    await Promise.all([source.get(), source.get()]);
    await source.get();
    assert.equal(loads, 1);
  });

  it('rejects a module that cannot run a command, and logs the reason', async () => {
    const broken: [unknown, RegExp][] = [
      [{}, /no function "spawn"/],
      [
        {
          spawn: () => {
            throw new Error('posix_spawnp failed.');
          },
        },
        /posix_spawnp failed/,
      ],
      [fakeModule('parley-pty', 1), /ended with 1/],
      [fakeModule('', 0), /wrote ""/],
    ];
    for (const [module, reason] of broken) {
      const { log, lines } = new Lines();
      assert.equal(await find(() => module, log), undefined);
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', /^Failed to load node-pty of VS Code; commands of agents run on pipes/);
      assert.match(lines[0] ?? '', reason);
    }
  });
});

describe('client/terminal/ptyCommand', function () {
  if (process.platform === 'win32') return;
  let pty: PtyModule;
  let folder: string;
  let output: string;
  let wanted: () => void;
  const started: RunningCommand[] = [];

  before(async function () {
    const { log, lines } = new Lines();
    // The packages for development have the node-pty of VS Code.
    const found = await new NodePtyLoader(process.cwd(), log).get();
    assert(found, lines.join());
    pty = found;
    folder = temporaryFolder();
  });
  beforeEach(() => {
    output = '';
    wanted = () => undefined;
  });
  afterEach(() => Promise.all(started.splice(0).map((command) => command.lifetime.end())));

  const start = async (file: string, args: string[], env: Record<string, string> = {}): Promise<RunningCommand> => {
    const place = { cwd: folder, env: { PATH, TERM: 'xterm-256color', ...env } };
    const onData = (text: string): boolean => {
      output += text;
      wanted();
      return true;
    };
    const plan = { file, args, isVerbatim: false };
    const command = await startCommand({ plan, environment: place, command: file, log: nullLogger, onData }, pty);
    started.push(command);
    return command;
  };
  const sh = (script: string): Promise<RunningCommand> => start('sh', ['-c', script]);
  const untilOutput = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(output)) await new Promise<void>((resolve) => (wanted = resolve));
  };
  const isRunning = async (pid: number): Promise<boolean> => (await listProcesses()).some((row) => row.pid === pid);

  it('runs commands in a terminal of 120 by 30, and reports their exit', async () => {
    const command = await sh('test -t 0 && test -t 1 && test -t 2 && stty size && echo $TERM && exit 7');
    assert.deepEqual(await command.done, { exitCode: 7, signal: null });
    assert.equal(output, '30 120\r\nxterm-256color\r\n');
  });

  it('reports the signal that ended a command', async () => {
    assert.deepEqual(await (await sh('kill -TERM $$')).done, { exitCode: null, signal: 'SIGTERM' });
  });

  it('passes arguments unchanged', async () => {
    const args = ['$HOME', '`id`', 'a b', '; echo no', '*', '', '"', "'"];
    await (
      await start(process.execPath, ['-p', 'JSON.stringify(process.argv.slice(1))', '--', ...args])
    ).done;
    assert.deepEqual(JSON.parse(output), args);
  });

  it('passes user input, also to a program that queries the terminal', async () => {
    const command = await sh('printf "Name? " > /dev/tty; read name < /dev/tty; echo "Hello $name"');
    await untilOutput(/Name\? /);
    command.tty?.write('Ada\r');
    assert.deepEqual(await command.done, { exitCode: 0, signal: null });
    assert.match(output, /Hello Ada\r\n$/);
    command.tty?.write('late');
    command.tty?.resize(10, 10);
    command.resume();
  });

  it('passes Ctrl+C and size changes to the command', async () => {
    const command = await sh(`trap 'stty size; exit 3' INT; echo ready; while :; do sleep 1000 & wait; done`);
    await untilOutput(/ready/);
    command.tty?.resize(77, 11);
    command.tty?.write('\u0003');
    assert.deepEqual(await command.done, { exitCode: 3, signal: null });
    assert.match(output, /11 77/);
  });

  it('reports a failed start as an error instead of terminal output', async () => {
    await writeFile(join(folder, 'data'), 'x', { mode: 0o644 });
    await chmod(join(folder, 'data'), 0o644);
    await assert.rejects(start('no-such-command', ['x']), /The command "no-such-command" was not found/);
    await assert.rejects(start('./data', []), /"\.\/data" is not executable/);
    await assert.rejects(start(folder, []), /is not executable/);
    await assert.rejects(start('data', [], { PATH: `${folder}:/bin` }), /"data" is not executable/);
    await requireProgram('sh', folder, {});
  });

  it('reports the system’s error for an environment that is too large', async () => {
    const huge = { HUGE: 'x'.repeat(4 * 1024 * 1024) };
    assert(!fitsArgumentLimit({ file: 'true', args: [], isVerbatim: false }, huge));
    await assert.rejects(start('true', [], huge), /"true" has more arguments and variables than the system allows/);
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`V${at}`, 'x'.repeat(400)]));
    const command = await start('sh', ['-c', 'echo ${#V399}'], many);
    await command.done;
    assert.equal(output, '400\n');
    assert.equal(command.tty, undefined);
  });

  it('uses pipes when the system has no free pseudo-terminal', async () => {
    const lines = new Lines();
    const none: PtyModule = {
      spawn: () => {
        throw new Error('forkpty(3) failed.');
      },
    };
    const plan = { file: 'sh', args: ['-c', 'echo here'], isVerbatim: false };
    const onData = (text: string): boolean => ((output += text), true);
    const place = { cwd: folder, env: { PATH } };
    const command = await startCommand({ plan, environment: place, command: 'sh', log: lines.log, onData }, none);
    assert.deepEqual(await command.done, { exitCode: 0, signal: null });
    assert.equal(output, 'here\n');
    assert.match(lines.lines.join(), /Failed to open a pseudo-terminal for "sh", ran it on pipes: forkpty\(3\) failed/);
  });

  it('ends its child processes, also those in another process session', async () => {
    const command = await sh(`trap '' HUP TERM; setsid sleep 1000 & echo pid $!; sleep 1001`);
    await untilOutput(/pid \d+/);
    const pid = Number(/pid (\d+)/.exec(output)?.[1]);
    assert(await isRunning(pid));
    await command.lifetime.end();
    assert.equal((await command.done).exitCode, null);
    assert(!(await isRunning(pid)));
  });

  it('does not wait for background processes of an exited command', async () => {
    const command = await sh('nohup sleep 1000 & echo pid $!');
    assert.deepEqual(await command.done, { exitCode: 0, signal: null });
    const pid = Number(/pid (\d+)/.exec(output)?.[1]);
    await command.lifetime.end();
    assert(!(await isRunning(pid)));
  });

  it('keeps the last output of a command before its exit', async () => {
    const file = join(folder, 'long');
    const text = Array.from({ length: 9000 }, (_, at) => `this is line ${at} of many\n`).join('');
    await writeFile(file, text);
    for (let run = 0; run < 10; run++) {
      output = '';
      await (
        await start('cat', [file])
      ).done;
      assert.equal(output.length, text.length + 9000, 'all lines, each with its carriage return');
    }
  });

  it('pauses and resumes without loss', async () => {
    let length = 0;
    const plan = { file: process.execPath, args: ['-e', `process.stdout.write('x'.repeat(3e6))`], isVerbatim: false };
    const onData = (text: string): boolean => {
      length += text.length;
      setImmediate(() => command.resume());
      return false;
    };
    const place = { cwd: folder, env: { PATH } };
    const command = await startCommand({ plan, environment: place, command: 'node', log: nullLogger, onData }, pty);
    await command.done;
    assert.equal(length, 3_000_000);
  });

  it('reads all output of a command that ends while reading is paused', async () => {
    const text = 'more\n'.repeat(600);
    await writeFile(join(folder, 'more'), text);
    const plan = { file: 'sh', args: ['-c', 'echo ready; read go; cat more'], isVerbatim: false };
    const onData = (more: string): boolean => {
      output += more;
      // After the pause: terminal echo and command output are not read while the command runs.
      if (output === 'ready\r\n') setImmediate(() => command.tty?.write('go\n'));
      return false;
    };
    const place = { cwd: folder, env: { PATH } };
    const command = await startCommand({ plan, environment: place, command: 'sh', log: nullLogger, onData }, pty);
    await command.done;
    assert.equal(output, `ready\r\ngo\r\n${text.replaceAll('\n', '\r\n')}`);
  });

  it('reads output that was written while the extension host was busy', async () => {
    const text = 'more\n'.repeat(2000);
    await writeFile(join(folder, 'more'), text);
    const command = await sh('echo ready; read go; cat more');
    await untilOutput(/ready/);
    command.tty?.write('go\n');
    await untilOutput(/go/);
    const until = performance.now() + 500;
    while (performance.now() < until);
    await command.done;
    assert.equal(output, `ready\r\ngo\r\n${text.replaceAll('\n', '\r\n')}`);
  });

  it('does not wait for a background process that writes endlessly', async () => {
    const command = await sh(`(trap '' HUP; yes) & echo done`);
    assert.deepEqual(await command.done, { exitCode: 0, signal: null });
    assert.match(output, /done\r\n/);
    await command.lifetime.end();
  });

  it('ends a command whose terminal output is paused', async () => {
    const command = await sh('echo ready; sleep 1000');
    await untilOutput(/ready/);
    // Pauses the terminal's output.
    command.tty?.write('\u0013');
    await command.lifetime.end();
    assert.equal((await command.done).exitCode, null);
  });
});

describe('client/terminal/renderedOutput', () => {
  it('keeps the end within the limit, cut at a character boundary, and marks the cut', () => {
    const tail = new RenderedOutput(1000);
    tail.append('€'.repeat(100));
    assert.deepEqual(tail.read(1000), { output: '€'.repeat(100), truncated: false });
    assert.deepEqual(tail.read(10), { output: '€€€', truncated: true });
    assert.deepEqual(tail.read(0), { output: '', truncated: true });
  });

  it('pauses the command while too much output waits to be rendered', () => {
    const tail = new RenderedOutput(10);
    for (let at = 0; at < 600; at++) tail.append(`y${at}\r\n`.repeat(1000));
    assert(tail.isBehind);
    while (tail.isBehind) tail.catchUp();
    assert.deepEqual(tail.read(10), { output: 'y599\ny599\n', truncated: true });
  });

  it('joins final lines with those that may still change', () => {
    const tail = new RenderedOutput(1_000_000);
    const lines = Array.from({ length: 5000 }, (_, at) => `line ${at}`);
    for (const line of lines) tail.append(`${line}\r\n`);
    const whole = `${lines.join('\n')}\n`;
    assert.deepEqual(tail.read(1_000_000), { output: whole, truncated: false });
    for (const limit of [1, 100, 3000, 40_000]) {
      assert.deepEqual(tail.read(limit), { output: whole.slice(-limit), truncated: true }, String(limit));
    }
  });
});
