import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { escapeIconSyntax, escapeMarkdownLinks } from '../../base/untrustedText';
import type { Logger } from '../../base/logger';
import { isInsideFolders } from '../../node/fs/realPaths';
import { localFolders } from '../../workbench/workspaceFolders';
import type { Attention } from '../attention';
import type { ChatPages } from '../chat/chatPages';
import type { UiSession, UiSessions } from '../uiTypes';
import type { SystemNotificationText } from './attentionText';
import { PlatformNotifier } from './platformNotifier';
import { SystemNotifications } from './systemNotifications';

export interface SystemNotificationDeps {
  readonly sessions: UiSessions;
  readonly chat: ChatPages;
  /** Whether a request of this session is shown as a separate notification, or must not be shown as one. */
  readonly isHandled: (session: UiSession) => boolean;
  readonly log: Logger;
}

export function createSystemNotifications(deps: SystemNotificationDeps): SystemNotifications {
  const { chat, isHandled } = deps;
  return new SystemNotifications({
    showInPage: (notification) => chat.showNotification(notification),
    showByPlatform: platformNotifier(deps.log),
    showInWindow: async (text, { type, session }) => {
      if (type === 'waiting' && isHandled(session)) return false;
      const show = t('Show');
      const sentence = escapeIconSyntax(escapeMarkdownLinks(`${text.title}: ${text.body}`));
      return (await vscode.window.showInformationMessage(sentence, show)) === show;
    },
    reveal: (event) => reveal(event, deps),
    now: () => performance.now(),
  });
}

/** Undefined in a remote window and in a browser: this process does not run on the user's computer. */
function platformNotifier(log: Logger): ((text: SystemNotificationText) => Promise<boolean>) | undefined {
  const { remoteName, uiKind, appName, uriScheme } = vscode.env;
  if (remoteName !== undefined || uiKind !== vscode.UIKind.Desktop) return undefined;
  const isExcluded = async (folder: string): Promise<boolean> =>
    isInsideFolders(await realpath(folder).catch(() => folder), localFolders());
  const host = { platform: process.platform, appName, uriScheme, systemRoot: process.env['SystemRoot'] };
  const notifier = new PlatformNotifier(host, process.env, isExcluded, log);
  return (text) => notifier.show(text);
}

/** The session may have been closed meanwhile. */
async function reveal(attention: Attention, { sessions, chat }: SystemNotificationDeps): Promise<void> {
  const { id } = attention.session;
  const open = sessions.all().find((session) => session.id === id);
  const session = open ?? (await sessions.load(id));
  if (!session) return;
  if (attention.type === 'waiting') await chat.reveal({ session, entry: attention.entry });
  else await chat.open(session);
}
