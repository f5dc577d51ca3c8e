import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { escapeIconSyntax } from '../../base/untrustedText';
import { isInsideFolders } from '../../node/fs/realPaths';
import type { Sessions } from '../../session/sessions';
import { showInformationMessage } from '../../workbench/windowMessages';
import { localFolders } from '../../workbench/workspaceFolders';
import type { ChatPages } from '../chat/chatPages';
import { SESSION_PATH } from '../chatLink';
import { PlatformNotifier } from './platformNotifier';
import type { AttentionTarget } from './systemNotifications';
import { SystemNotifications } from './systemNotifications';

export interface SystemNotificationDeps {
  readonly sessions: Sessions;
  readonly chat: ChatPages;
  /** Shows a request and its answers inside the window, unless the user has turned such notifications off. */
  readonly showRequest: (request: AttentionTarget) => void;
  readonly log: Logger;
}

export function createSystemNotifications(deps: SystemNotificationDeps): SystemNotifications {
  const { chat, showRequest } = deps;
  const notifier = platformNotifier(deps.log);
  return new SystemNotifications({
    pages: chat,
    showByPlatform:
      notifier &&
      (async (text, target) =>
        notifier.show(text, {
          link: await sessionLink(target.sessionId),
          onDidClick: () => void openFromNotification(target, deps),
        })),
    showInWindow: (text, target) => {
      if (target.type === 'waiting') {
        showRequest(target);
        return Promise.resolve(false);
      }
      const show = t('Show');
      const sentence = escapeIconSyntax(`${text.title}: ${text.body}`);
      return Promise.resolve(showInformationMessage(sentence, show)).then((chosen) => chosen === show);
    },
    reveal: (target) => reveal(target, deps),
    clock: systemClock,
    dispose: () => notifier?.dispose(),
  });
}

/** Undefined in a remote window and in a browser: this process does not run on the user's computer. */
function platformNotifier(log: Logger): PlatformNotifier | undefined {
  const { remoteName, uiKind, appName, uriScheme } = vscode.env;
  if (remoteName !== undefined || uiKind !== vscode.UIKind.Desktop) return undefined;
  const isExcluded = async (folder: string): Promise<boolean> =>
    isInsideFolders(await realpath(folder).catch(() => folder), localFolders());
  const host = { platform: process.platform, appName, uriScheme, systemRoot: process.env['SystemRoot'] };
  return new PlatformNotifier(host, process.env, isExcluded, log);
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

/** A link into VS Code brings its window, for which extensions have no API; the session is shown already when VS Code asks about the link. */
async function openFromNotification(target: AttentionTarget, deps: SystemNotificationDeps): Promise<void> {
  try {
    await reveal(target, deps);
    if (!vscode.window.state.focused)
      await vscode.env.openExternal(vscode.Uri.parse(await sessionLink(target.sessionId)));
  } catch (error) {
    deps.log.error('ui', `Failed to open the session of a notification: ${errorMessage(error)}`);
  }
}

/** The session may have been closed meanwhile. */
async function reveal(
  { type, sessionId, entry }: AttentionTarget,
  { sessions, chat }: SystemNotificationDeps,
): Promise<void> {
  const open = sessions.allOpen().find(({ id }) => id === sessionId);
  const session = open ?? (await sessions.open.load(sessionId));
  if (!session) return;
  if (type === 'waiting' && entry !== undefined) await chat.reveal({ session, entry });
  else await chat.open(session);
}
