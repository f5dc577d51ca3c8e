import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { PlatformNotifier, notificationCommand } from '../../../../src/ui/systemNotifications/platformNotifier';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { until } from '../../../kit/waiting';

const linux = { platform: 'linux', appName: 'Visual Studio Code', uriScheme: 'vscode', systemRoot: undefined } as const;
const LINK = 'vscode://parley.parley/session?id=1&windowId=2';
const still = { link: LINK, hasActions: false };
const hostile = { title: '--help; $(touch x) `id`', body: '-e "quit" <b>&\\n</b> %PATH% $env:HOME' };

describe('ui/systemNotifications: the command', () => {
  it('notify-send: texts follow "--", and the body contains no markup or escapes', () => {
    assert.deepEqual(notificationCommand(hostile, linux, still), {
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
    const clicked = notificationCommand(hostile, linux, { ...still, hasActions: true }).args;
    assert.deepEqual(clicked.slice(0, 5), [
      '--app-name=Visual Studio Code',
      '--hint=string:desktop-entry:code',
      '--print-id',
      '--action=default=Show',
      '--',
    ]);
    const { args } = notificationCommand(hostile, { ...linux, uriScheme: 'other' }, still);
    assert.deepEqual(args.slice(0, 2), ['--app-name=Visual Studio Code', '--'], 'an editor with an unknown entry');
  });

  it('osascript: the script is constant and the texts are its arguments', () => {
    assert.deepEqual(notificationCommand(hostile, { ...linux, platform: 'darwin' }, still), {
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

  it('PowerShell: the script is constant and the texts are environment variables', () => {
    const windows = { ...linux, platform: 'win32', systemRoot: 'D:\\Windows' } as const;
    const { file, args, env } = notificationCommand(hostile, windows, still);
    assert.equal(file, 'D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
    assert.deepEqual(args.slice(0, 4), ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand']);
    assert.deepEqual(env, {
      PARLEY_NOTIFICATION_TITLE: hostile.title,
      PARLEY_NOTIFICATION_BODY: hostile.body,
      PARLEY_NOTIFICATION_LINK: LINK,
    });
    const other = notificationCommand({ title: 'a', body: 'b' }, { ...windows, systemRoot: undefined }, still);
    assert.equal(other.file, 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
    assert.deepEqual(other.args, args, 'the same script for any text');
    const script = Buffer.from(args[4] ?? '', 'base64').toString('utf16le');
    assert.match(script, /CreateTextNode\(\$env:PARLEY_NOTIFICATION_TITLE\)/);
    assert.match(script, /CreateTextNode\(\$env:PARLEY_NOTIFICATION_BODY\)/);
    assert.match(script, /SetAttribute\('silent', 'true'\)/);
    assert.match(script, /SetAttribute\('activationType', 'protocol'\)/);
    assert.match(script, /SetAttribute\('launch', \$env:PARLEY_NOTIFICATION_LINK\)/);
    assert.ok(args.join(' ').length < 8000, 'fits a Windows command line');
  });
});

describe('ui/systemNotifications: the program', function () {
  if (process.platform === 'win32') return;
  let folder: string;
  let clicks: number;
  const click = { link: LINK, onDidClick: () => void clicks++ };
  beforeEach(() => {
    clicks = 0;
    folder = temporaryFolder();
  });

  /** A program named notify-send that records its arguments, one a line. */
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

  it('gets hostile texts unchanged, without a shell', async () => {
    const { notifier, logged } = open(await install());
    assert.equal(await notifier.show(hostile, click), true);
    const args = (await out()).trimEnd().split('\n');
    assert.deepEqual(args.slice(2), ['--', hostile.title, '-e "quit" &lt;b&gt;&amp;\\\\n&lt;/b&gt; %PATH% $env:HOME']);
    assert.deepEqual(logged, []);
  });

  it('logs a missing or failing program once, without the texts, and never throws', async () => {
    const missing = open(join(folder, 'nowhere'));
    assert.equal(await missing.notifier.show(hostile, click), false);
    assert.equal(await missing.notifier.show(hostile, click), false);
    assert.deepEqual(missing.logged, ['Failed to show a system notification: notify-send was not found']);
    const failing = open(await install('exit 3'));
    assert.equal(await failing.notifier.show(hostile, click), false);
    assert.match(failing.logged[0] ?? '', /notify-send ended with 3$/);
    const strange = open(await install());
    assert.equal(await strange.notifier.show({ title: 'a\0b', body: '' }, click), false);
    assert.equal(strange.logged.length, 1);
  });

  /** A notify-send that supports actions; prints the id, and then runs the test's commands. */
  const withActions = (rest: string): string =>
    `if [ "$1" = --help ]; then echo '--print-id --action'; exit; fi; printf '%s\\n' "$@" > "$OUT"; echo 7; ${rest}`;

  it('returns an id when the notification is shown, and reports the click later', async () => {
    const gate = join(folder, 'gate');
    const { notifier } = open(await install(withActions(`while [ ! -e ${gate} ]; do sleep 0.1; done; echo default`)));
    assert.equal(await notifier.show(hostile, click), true);
    assert.equal(clicks, 0);
    const clicked = new Promise<void>((resolve) => {
      click.onDidClick = () => {
        clicks++;
        resolve();
      };
    });
    await writeFile(gate, '');
    await clicked;
    assert.equal(clicks, 1);
    assert.deepEqual((await out()).split('\n').slice(2, 5), ['--print-id', '--action=default=Show', '--']);
    notifier.dispose();
  });

  it('reports no click for a closed notification, or on a desktop without actions', async () => {
    const { notifier, logged } = open(await install(withActions('exit 1')));
    assert.equal(await notifier.show(hostile, click), true);
    assert.deepEqual([clicks, logged], [0, []]);
  });

  it('has shown nothing if it returns no id', async () => {
    const { notifier } = open(await install(withActions('exit 1').replace('echo 7', 'echo 0')));
    assert.equal(await notifier.show(hostile, click), false);
    const silent = open(await install(withActions('exit 0').replace('echo 7', 'true')));
    assert.equal(await silent.notifier.show(hostile, click), false);
  });

  it('ends with the window, and runs only a few times simultaneously', async () => {
    const { notifier } = open(await install(withActions(`echo $$ >> ${folder}/pids; exec sleep 600`)));
    for (let count = 0; count < 7; count++) assert.equal(await notifier.show(hostile, click), true);
    const pids = async (): Promise<number[]> =>
      (await readFile(join(folder, 'pids'), 'utf8').catch(() => '')).trim().split('\n').map(Number);
    await until(async () => (await pids()).length >= 7);
    const alive = async (): Promise<number> => (await pids()).filter(isAlive).length;
    await until(async () => (await alive()) <= 5);
    notifier.dispose();
    await until(async () => (await alive()) <= 0);
    assert.equal(clicks, 0);
  });

  it('is not searched in relative folders, or in those of the workspace', async () => {
    const inside = await install(undefined, 'workspace/notify-send');
    const { notifier } = open(`${inside}:.:relative`, [inside]);
    assert.equal(await notifier.show(hostile, click), false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
