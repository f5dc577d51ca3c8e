import { join } from 'node:path/win32';
import { t } from '../../base/l10n';
import type { SystemNotificationText } from '../uiTypes';

/** The program that shows a notification, to be run without a shell. */
interface NotificationCommand {
  /** Absolute, or a name to look up on PATH. */
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export const NOTIFY_SEND = 'notify-send';
/** The name of the action that a click on the whole notification means (Desktop Notifications Specification, section 9). */
export const CLICKED = 'default';

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

export interface NotificationHost {
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
