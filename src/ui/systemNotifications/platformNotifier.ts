import { execFile } from 'node:child_process';
import type { ChildProcess, ExecFileOptions } from 'node:child_process';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { join } from 'node:path/win32';
import { findOnPath } from '../../agent/registry/findOnPath';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Env } from '../../node/process/processEnvironment';
import { processEnvironment, withSafePath } from '../../node/process/processEnvironment';
import type { SystemNotificationText } from '../window';

/** Milliseconds; later a program that has shown nothing counts as failed and is ended. */
const DEADLINE_MS = 10_000;
/** Milliseconds that a program waits for a click, and how many wait: the oldest is ended first. */
const CLICK_TIMEOUT_MS = 10 * 60_000;
const MAX_WAITING = 5;

/** What a click on a notification does. */
interface NotificationClick {
  /** Opens the session from outside. */
  readonly link: string;
  /** The program reports the click itself. */
  onDidClick(): void;
}

/** Shows notifications by a program of the operating system. */
export class PlatformNotifier implements Disposable {
  /** Programs that wait for a click, oldest first. */
  readonly #waiting = new Set<ChildProcess>();
  /** Whether a program, by its path, reports clicks. */
  readonly #actions = new Map<string, Promise<boolean>>();
  #hasLogged = false;

  constructor(
    private readonly host: NotificationHost,
    private readonly env: NodeJS.ProcessEnv,
    /** Whether a folder of PATH may contain programs of the workspace. */
    private readonly isExcluded: (folder: string) => Promise<boolean>,
    private readonly log: Logger,
  ) {}

  /** False if the program is missing or fails, which is logged once. Never rejects. */
  async show(text: SystemNotificationText, click: NotificationClick): Promise<boolean> {
    const problem = await this.#show(text, click);
    if (problem !== undefined && !this.#hasLogged) {
      this.#hasLogged = true;
      this.log.info('ui', `Failed to show a system notification: ${problem}`);
    }
    return problem === undefined;
  }

  dispose(): void {
    for (const child of this.#waiting) child.kill('SIGKILL');
    this.#waiting.clear();
  }

  /** @returns why it failed */
  async #show(text: SystemNotificationText, click: NotificationClick): Promise<string | undefined> {
    const isWindows = this.host.platform === 'win32';
    const { file, env: added } = notificationCommand(text, this.host, { ...click, hasActions: false });
    const env = await withSafePath(processEnvironment(this.env, added, isWindows), (folder) => this.isExcluded(folder));
    const program = isAbsolute(file) ? file : findOnPath(file, env);
    if (program === undefined) return `${file} was not found`;
    const hasActions = file === NOTIFY_SEND && (await this.#hasActions(program, env));
    const { args } = notificationCommand(text, this.host, { ...click, hasActions });
    return hasActions ? this.#waitForClick(program, args, env, click) : run(program, args, optionsOf(env));
  }

  /** notify-send 0.8 (2022) and later. */
  #hasActions(program: string, env: Env): Promise<boolean> {
    let found = this.#actions.get(program);
    found ??= new Promise((resolve) => {
      const child = execFile(program, ['--help'], optionsOf(env), (error, output) =>
        resolve(!error && output.includes('--action') && output.includes('--print-id')),
      );
      child.stdin?.end();
    });
    this.#actions.set(program, found);
    return found;
  }

  /** Settles as soon as the notification is shown; the program goes on. */
  #waitForClick(
    program: string,
    args: readonly string[],
    env: Env,
    click: NotificationClick,
  ): Promise<string | undefined> {
    return new Promise((resolve) => {
      let output = '';
      const deadline = setTimeout(() => child?.kill('SIGKILL'), DEADLINE_MS);
      const settle = (problem?: string): void => {
        clearTimeout(deadline);
        resolve(problem);
      };
      const child = start(program, args, { ...optionsOf(env), timeout: CLICK_TIMEOUT_MS }, (problem) => {
        if (child) this.#waiting.delete(child);
        // A desktop without actions: the notification was shown, and the program fails.
        settle(hasId(output) ? undefined : (problem ?? `${program} has shown nothing`));
        if (output.split(/\r?\n/).includes(CLICKED)) click.onDidClick();
      });
      child?.stdout?.on('data', (chunk: string) => {
        output += chunk;
        if (hasId(output)) settle();
      });
      if (child) this.#track(child);
    });
  }

  #track(child: ChildProcess): void {
    this.#waiting.add(child);
    const [oldest] = this.#waiting;
    if (this.#waiting.size > MAX_WAITING) oldest?.kill('SIGKILL');
  }
}

/** Without a notification service, the id is 0. */
function hasId(output: string): boolean {
  return /^[1-9]\d*\r?\n/.test(output);
}

function optionsOf(env: Env): ExecFileOptions & { readonly encoding: 'utf8' } {
  return { timeout: DEADLINE_MS, killSignal: 'SIGKILL', cwd: homedir(), env, windowsHide: true, encoding: 'utf8' };
}

/** @returns why it failed */
function run(
  program: string,
  args: readonly string[],
  options: ReturnType<typeof optionsOf>,
): Promise<string | undefined> {
  return new Promise((resolve) => void start(program, args, options, resolve));
}

/** @param onDidEnd gets why it failed */
function start(
  program: string,
  args: readonly string[],
  options: ReturnType<typeof optionsOf>,
  onDidEnd: (problem: string | undefined) => void,
): ChildProcess | undefined {
  try {
    const child = execFile(program, args, options, (error) => {
      // The message of the error contains the arguments.
      onDidEnd(error ? `${program} ended with ${error.code ?? error.signal ?? 'an error'}` : undefined);
    });
    child.stdin?.end();
    return child;
  } catch (error) {
    // Node throws for arguments that no program can get, such as one with a NUL character.
    onDidEnd(String(error));
    return undefined;
  }
}

/** The program that shows a notification, to be run without a shell. */
interface NotificationCommand {
  /** Absolute, or a name to look up on PATH. */
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

const NOTIFY_SEND = 'notify-send';
/** The name of the action that a click on the whole notification means (Desktop Notifications Specification, section 9). */
const CLICKED = 'default';

/** The name of VS Code's desktop entry by `vscode.env.uriScheme`: the notification is that of VS Code. */
const DESKTOP_ENTRIES: Readonly<Record<string, string>> = {
  vscode: 'code',
  'vscode-insiders': 'code-insiders',
  vscodium: 'codium',
};

/** Counts from the end: a version of osascript that does not drop `--` passes it as the first item. */
const APPLESCRIPT = [
  'on run argv',
  'display notification (item -1 of argv) with title (item -2 of argv)',
  'end run',
] as const;

/** Silent, as on other systems: `parley.sound` plays the sound. Unpackaged programs may use the id of PowerShell. */
const POWERSHELL = `
$ErrorActionPreference = 'Stop'
[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$texts = $xml.GetElementsByTagName('text')
[void]$texts.Item(0).AppendChild($xml.CreateTextNode($env:PARLEY_NOTIFICATION_TITLE))
[void]$texts.Item(1).AppendChild($xml.CreateTextNode($env:PARLEY_NOTIFICATION_BODY))
$audio = $xml.CreateElement('audio')
$audio.SetAttribute('silent', 'true')
[void]$xml.DocumentElement.AppendChild($audio)
$xml.DocumentElement.SetAttribute('activationType', 'protocol')
$xml.DocumentElement.SetAttribute('launch', $env:PARLEY_NOTIFICATION_LINK)
$id = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
$toast = [Windows.UI.Notifications.ToastNotification]::new($xml)
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($id).Show($toast)
`;

interface NotificationHost {
  readonly platform: NodeJS.Platform;
  /** `vscode.env.appName` and `vscode.env.uriScheme` */
  readonly appName: string;
  readonly uriScheme: string;
  /** The folder of Windows, such as `C:\Windows`. */
  readonly systemRoot: string | undefined;
}

/**
 * Texts are data in every command: they cannot become an option, a script or markup.
 * @param click what opens the session: its link, and whether notify-send waits for the click and prints it
 */
export function notificationCommand(
  { title, body }: SystemNotificationText,
  { platform, appName, uriScheme, systemRoot }: NotificationHost,
  { link, hasActions }: { readonly link: string; readonly hasActions: boolean },
): NotificationCommand {
  if (platform === 'darwin') {
    const script = APPLESCRIPT.flatMap((line) => ['-e', line]);
    return { file: '/usr/bin/osascript', args: [...script, '--', title, body], env: {} };
  }
  if (platform === 'win32') {
    const folder = join(systemRoot ?? 'C:\\Windows', 'System32', 'WindowsPowerShell', 'v1.0');
    const script = Buffer.from(POWERSHELL, 'utf16le').toString('base64');
    return {
      file: join(folder, 'powershell.exe'),
      args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', script],
      env: { PARLEY_NOTIFICATION_TITLE: title, PARLEY_NOTIFICATION_BODY: body, PARLEY_NOTIFICATION_LINK: link },
    };
  }
  const entry = DESKTOP_ENTRIES[uriScheme];
  const hints = entry === undefined ? [] : [`--hint=string:desktop-entry:${entry}`];
  // The id is printed when the notification is shown, the action when it is clicked.
  const click = hasActions ? ['--print-id', `--action=${CLICKED}=${t('Show')}`] : [];
  const args = [`--app-name=${appName}`, ...hints, ...click, '--', title, toMarkup(body)];
  return { file: NOTIFY_SEND, args, env: {} };
}

/** The body has simple markup (Desktop Notifications Specification, section 4), and notify-send reads C escapes in it. */
function toMarkup(body: string): string {
  const escaped = body.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll('\\', '\\\\');
}
