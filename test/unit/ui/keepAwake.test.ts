import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Emitter } from '../../../src/base/event';
import { nullLogger } from '../../../src/base/logger';
import type { PlainSettingsReader } from '../../../src/base/settings';
import { AwakeProgram, awakeCommand } from '../../../src/ui/awakeProgram';
import { KeepAwake } from '../../../src/ui/keepAwake';
import { stubOf } from '../../kit/stubOf';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { TestClock } from '../../kit/testClock';
import { until } from '../../kit/waiting';
import { FakeSession, FakeSessions } from './fakes';

function setUp() {
  const session = new FakeSession('one');
  const sessions = new FakeSessions([session]);
  const clock = new TestClock();
  const settings = new Emitter<void>();
  const value = { enabled: true };
  const steps: string[] = [];
  const reader = stubOf<PlainSettingsReader<'keepAwake'>>({
    get: () => value.enabled,
    onDidChange: settings.event,
  });
  const hold = async (signal: AbortSignal): Promise<void> => {
    steps.push('start');
    signal.addEventListener('abort', () => steps.push('end'));
  };
  const awake = new KeepAwake(sessions, reader, hold, clock);
  const dispatch = (action: Parameters<FakeSession['dispatch']>[0]): void => {
    session.dispatch(action);
    sessions.fireChange(session);
  };
  const ask = (): void => dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
  return { session, sessions, awake, clock, settings, value, steps, dispatch, ask };
}

describe('ui/keepAwake', () => {
  it('starts in a turn that lasts, and ends with it', async () => {
    const { clock, steps, dispatch, ask } = setUp();
    ask();
    await clock.pass(19_999);
    assert.deepEqual(steps, []);
    await clock.pass(1);
    assert.deepEqual(steps, ['start']);
    dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    assert.deepEqual(steps, ['start', 'end']);
    ask();
    await clock.pass(10_000);
    dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 3 });
    await clock.pass(60_000);
    assert.deepEqual(steps, ['start', 'end'], 'a short turn starts nothing');
  });

  it('lets the computer sleep while only a question waits', async () => {
    const { session, sessions, clock, steps, ask } = setUp();
    ask();
    await clock.pass(20_000);
    session.ask([]);
    sessions.fireChange(session);
    assert.deepEqual(steps, ['start', 'end']);
  });

  it('follows the setting, and ends with the window', async () => {
    const { awake, clock, settings, value, steps, ask } = setUp();
    value.enabled = false;
    ask();
    await clock.pass(60_000);
    value.enabled = true;
    settings.fire();
    await clock.pass(20_000);
    assert.deepEqual(steps, ['start']);
    awake.dispose();
    assert.deepEqual(steps, ['start', 'end']);
  });
});

describe('ui/keepAwake: the program', () => {
  const folder = temporaryFolder();

  it('holds until its stdin ends, on each system', () => {
    const linux = awakeCommand('linux');
    assert.deepEqual([linux.file, ...linux.args].slice(0, 2), ['systemd-inhibit', '--what=idle:sleep']);
    assert.equal(linux.args.at(-1), 'cat');
    assert.deepEqual(awakeCommand('darwin'), {
      file: '/usr/bin/caffeinate',
      args: ['-i', '/bin/cat'],
    });
    const { file, args } = awakeCommand('win32', 'D:\\Windows');
    assert.equal(file, 'D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
    const script = Buffer.from(String(args.at(-1)), 'base64').toString('utf16le');
    assert.match(script, /SetThreadExecutionState\(\[uint32\]'0x80000001'\)/);
    assert.match(script, /In\.ReadToEnd\(\)/);
  });

  it('ends when it is disposed, also before it has started', async function () {
    if (process.platform === 'win32') this.skip();
    const log = join(folder, 'log');
    const script = `#!/bin/sh\necho "start $*" >> '${log}'\ncat\necho end >> '${log}'\n`;
    await writeFile(join(folder, 'systemd-inhibit'), script);
    await chmod(join(folder, 'systemd-inhibit'), 0o755);
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
    const program = new AwakeProgram(awakeCommand('linux'), env, async () => false, nullLogger);
    const lines = async (): Promise<string[]> =>
      (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    const holding = new AbortController();
    await program.hold(holding.signal);
    await until(async () => (await lines()).length === 1);
    holding.abort();
    await until(async () => (await lines()).at(-1) === 'end');
    await program.hold(AbortSignal.abort());
    await until(async () => (await lines()).length === 4);
  });

  it('is not taken from the workspace, and a missing one is logged once', async () => {
    const problems: string[] = [];
    const log = { ...nullLogger, info: (_tag: string, message: string) => void problems.push(message) };
    const program = new AwakeProgram(awakeCommand('linux'), { ...process.env, PATH: folder }, async () => true, log);
    await program.hold(AbortSignal.abort());
    await program.hold(AbortSignal.abort());
    assert.match(String(problems[0]), /systemd-inhibit was not found/);
    assert.equal(problems.length, 1);
  });
});
