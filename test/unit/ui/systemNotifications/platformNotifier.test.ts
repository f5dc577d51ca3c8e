import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { notificationCommand } from '../../../../src/ui/systemNotifications/notificationCommand';
import { PlatformNotifier } from '../../../../src/ui/systemNotifications/platformNotifier';

const linux = { platform: 'linux', appName: 'Visual Studio Code', uriScheme: 'vscode', systemRoot: undefined } as const;
const hostile = { title: '--help; $(touch x) `id`', body: '-e "quit" <b>&\\n</b> %PATH% $env:HOME' };

describe('ui/systemNotifications: the command', () => {
  it('notify-send: texts follow "--", and the body has neither markup nor escapes', () => {
    assert.deepEqual(notificationCommand(hostile, linux), {
      file: 'notify-send',
      args: [
        '--app-name=Visual Studio Code',
        '--hint=string:desktop-entry:code',
        '--',
        '--help; $(touch x) `id`',
        '-e "quit" &lt;b&gt;&amp;\\\\n&lt;/b&gt; %PATH% $env:HOME',
      ],
      env: {},
    });
    const { args } = notificationCommand(hostile, { ...linux, uriScheme: 'other' });
    assert.deepEqual(args.slice(0, 2), ['--app-name=Visual Studio Code', '--'], 'an editor with an unknown entry');
  });

  it('osascript: the script is constant and the texts are its arguments', () => {
    assert.deepEqual(notificationCommand(hostile, { ...linux, platform: 'darwin' }), {
      file: '/usr/bin/osascript',
      args: [
        '-e',
        'on run argv',
        '-e',
        'display notification (item -1 of argv) with title (item -2 of argv)',
        '-e',
        'end run',
        '--',
        hostile.title,
        hostile.body,
      ],
      env: {},
    });
  });

  it('PowerShell: the script is constant and the texts are variables of the environment', () => {
    const windows = { ...linux, platform: 'win32', systemRoot: 'D:\\Windows' } as const;
    const { file, args, env } = notificationCommand(hostile, windows);
    assert.equal(file, 'D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
    assert.deepEqual(args.slice(0, 4), ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand']);
    assert.deepEqual(env, { PARLEY_NOTIFICATION_TITLE: hostile.title, PARLEY_NOTIFICATION_BODY: hostile.body });
    const other = notificationCommand({ title: 'a', body: 'b' }, { ...windows, systemRoot: undefined });
    assert.equal(other.file, 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
    assert.deepEqual(other.args, args, 'the same script for any text');
    const script = Buffer.from(args[4] ?? '', 'base64').toString('utf16le');
    assert.match(script, /CreateTextNode\(\$env:PARLEY_NOTIFICATION_TITLE\)/);
    assert.match(script, /CreateTextNode\(\$env:PARLEY_NOTIFICATION_BODY\)/);
    assert.match(script, /SetAttribute\('silent', 'true'\)/);
    assert.ok(args.join(' ').length < 8000, 'fits a Windows command line');
  });
});

describe('ui/systemNotifications: the program', function () {
  if (process.platform === 'win32') return;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-notify-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A program named notify-send that writes down its arguments, one a line. */
  async function install(script = `printf '%s\\n' "$@" > "$OUT"`, name = 'bin/notify-send'): Promise<string> {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    return dirname(file);
  }

  function open(path: string, excluded: string[] = []) {
    const logged: string[] = [];
    const env = { PATH: path, OUT: join(folder, 'out'), VSCODE_PID: '1' };
    const log = { ...nullLogger, info: (_tag: string, message: string) => void logged.push(message) };
    const isExcluded = async (one: string): Promise<boolean> => excluded.includes(one);
    return { logged, notifier: new PlatformNotifier(linux, env, isExcluded, log) };
  }
  const out = (): Promise<string> => readFile(join(folder, 'out'), 'utf8');

  it('gets hostile texts as they are, without a shell in between', async () => {
    const { notifier, logged } = open(await install());
    assert.equal(await notifier.show(hostile), true);
    const args = (await out()).trimEnd().split('\n');
    assert.deepEqual(args.slice(2), ['--', hostile.title, '-e "quit" &lt;b&gt;&amp;\\\\n&lt;/b&gt; %PATH% $env:HOME']);
    assert.deepEqual(logged, []);
  });

  it('logs once when it is missing or fails, without the texts, and never throws', async () => {
    const missing = open(join(folder, 'nowhere'));
    assert.equal(await missing.notifier.show(hostile), false);
    assert.equal(await missing.notifier.show(hostile), false);
    assert.deepEqual(missing.logged, ['System notifications are not available: notify-send was not found']);
    const failing = open(await install('exit 3'));
    assert.equal(await failing.notifier.show(hostile), false);
    assert.match(failing.logged[0] ?? '', /notify-send ended with 3$/);
    const strange = open(await install());
    assert.equal(await strange.notifier.show({ title: 'a\0b', body: '' }), false);
    assert.equal(strange.logged.length, 1);
  });

  it('is not looked for in relative folders, nor in those of the workspace', async () => {
    const inside = await install(undefined, 'workspace/notify-send');
    const { notifier } = open(`${inside}:.:relative`, [inside]);
    assert.equal(await notifier.show(hostile), false);
  });
});
