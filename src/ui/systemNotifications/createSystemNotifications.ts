import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { escapeIconSyntax } from '../../base/untrustedText';
import type { Sessions } from '../../session/sessions';
import { showInformationMessage } from '../../workbench/windowMessages';
import { isFolderInWorkspace } from '../../workbench/workspaceFolders';
import { SESSION_PATH } from '../chatLink';
import type { PermissionNotifications } from '../permissions/permissionNotifications';
import type { Chat, SystemNotificationText } from '../window';
import { PlatformNotifier } from './platformNotifier';
import type { AttentionTarget, NotificationFallbacks } from './systemNotifications';
import { SystemNotifications } from './systemNotifications';

export function createSystemNotifications(
  sessions: Sessions,
  chat: Chat,
  permissions: PermissionNotifications,
  log: Logger,
): SystemNotifications {
  return new SystemNotifications(chat, new WindowNotifications(sessions, chat, permissions, log), systemClock);
}

/** Notifications of the operating system and of this window. */
class WindowNotifications implements NotificationFallbacks {
  readonly #notifier: PlatformNotifier | undefined;

  /** @param permissions shows a request and its answers, unless the user has turned such notifications off */
  constructor(
    private readonly sessions: Sessions,
    private readonly chat: Chat,
    private readonly permissions: PermissionNotifications,
    private readonly log: Logger,
  ) {
    this.#notifier = platformNotifier(log);
  }

  async showByPlatform(text: SystemNotificationText, target: AttentionTarget): Promise<boolean> {
    if (!this.#notifier) return false;
    const link = await sessionLink(target.sessionId);
    return this.#notifier.show(text, { link, onDidClick: () => void this.#openFromNotification(target) });
  }

  async showInWindow(text: SystemNotificationText, target: AttentionTarget): Promise<boolean> {
    if (target.type === 'waiting') {
      this.permissions.show(target);
      return false;
    }
    const show = t('Show');
    return (await showInformationMessage(escapeIconSyntax(`${text.title}: ${text.body}`), show)) === show;
  }

  /** The session may have been closed meanwhile. */
  async reveal({ type, sessionId, entry }: AttentionTarget): Promise<void> {
    const session = this.sessions.getOpen(sessionId) ?? (await this.sessions.open.load(sessionId));
    if (!session) return;
    if (type === 'waiting' && entry !== undefined) await this.chat.reveal({ session, entry });
    else await this.chat.open(session);
  }

  dispose(): void {
    this.#notifier?.dispose();
  }

  /** A link into VS Code brings its window, for which extensions have no API; the session is shown already when VS Code asks about the link. */
  async #openFromNotification(target: AttentionTarget): Promise<void> {
    try {
      await this.reveal(target);
      if (!vscode.window.state.focused)
        await vscode.env.openExternal(vscode.Uri.parse(await sessionLink(target.sessionId)));
    } catch (error) {
      this.log.error('ui', `Failed to open the session of a notification: ${errorMessage(error)}`);
    }
  }
}

/** Undefined in a remote window and in a browser: this process does not run on the user's computer. */
function platformNotifier(log: Logger): PlatformNotifier | undefined {
  const { remoteName, uiKind, appName, uriScheme } = vscode.env;
  if (remoteName !== undefined || uiKind !== vscode.UIKind.Desktop) return undefined;
  const host = { platform: process.platform, appName, uriScheme, systemRoot: process.env['SystemRoot'] };
  return new PlatformNotifier(host, process.env, isFolderInWorkspace, log);
}

/** VS Code adds this window to the link. */
async function sessionLink(id: string): Promise<string> {
  const link = vscode.Uri.parse(`${vscode.env.uriScheme}://parley.parley${SESSION_PATH}?id=${encodeURIComponent(id)}`);
  try {
    return (await vscode.env.asExternalUri(link)).toString();
  } catch {
    return link.toString();
  }
}
