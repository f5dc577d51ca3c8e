import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { NotificationMessage } from '../../shared/protocol/chatPageProtocol';
import type { PermissionNotifications } from '../permissions/permissionNotifications';
import type { Window } from '../window';
import type { Attention } from './attention';
import { AttentionEvents } from './attention';

/**
 * Plays sounds and shows system notifications while the window has no focus.
 * @param permissions shows requests that no notification of the operating system could report
 */
export function registerSystemNotifications(
  { sessions, settings, chat, log }: Window,
  permissions: PermissionNotifications,
): Disposable {
  const store = new DisposableStore();
  const system = store.add(
    new Lazy(async () => {
      const { createSystemNotifications } = await import('./createSystemNotifications');
      return createSystemNotifications(sessions, chat, permissions, log);
    }),
  );
  const logFailure = (error: unknown): void => log.error('ui', `Failed to notify: ${errorMessage(error)}`);
  const onDidNeedAttention = (event: Attention): void => {
    if (settings.get('sound')) chat.playSound(event.type === 'waiting' ? 'waiting' : 'finished');
    if (settings.get('notifications.system') === 'never') return;
    void system
      .load()
      .then((notifications) => notifications.show(event))
      .catch(logFailure);
  };
  const onDidUse = async ({ type, id }: NotificationMessage): Promise<void> =>
    type === 'notificationClicked' ? system.value?.open(id) : system.value?.showOutside(id);
  const attention = store.add(new AttentionEvents(sessions, () => vscode.window.state.focused));
  store.add(attention.onDidNeedAttention(onDidNeedAttention));
  store.add(chat.onDidUseNotification((message) => void onDidUse(message)));
  return store;
}
