import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { Lazy } from '../../base/lazy';
import type { DisposableStore } from '../../base/lifecycle';
import type { ChatPages } from '../chat/chatPages';
import type { UiDeps } from '../uiDeps';
import { AttentionEvents } from './attention';
import type { SystemNotificationDeps } from './createSystemNotifications';
import type { SystemNotifications } from './systemNotifications';

/**
 * Plays sounds and shows system notifications while the window has no focus.
 * @param showRequest see `SystemNotificationDeps`
 */
export function registerSystemNotifications(
  { sessions, settings, log }: UiDeps,
  store: DisposableStore,
  chat: ChatPages,
  showRequest: SystemNotificationDeps['showRequest'],
): Lazy<SystemNotifications> {
  const system = new Lazy(async () => {
    const { createSystemNotifications } = await import('./createSystemNotifications');
    return createSystemNotifications({ sessions, chat, showRequest, log });
  });
  store.add(system);
  const logFailure = (error: unknown): void => log.error('ui', `Failed to notify: ${errorMessage(error)}`);
  const attention = store.add(new AttentionEvents(sessions, () => vscode.window.state.focused));
  store.add(
    attention.onDidNeedAttention((event) => {
      if (settings.get('sound')) chat.playSound(event.type === 'waiting' ? 'waiting' : 'finished');
      if (settings.get('notifications.system') === 'never') return;
      void system
        .load()
        .then((notifications) => notifications.show(event))
        .catch(logFailure);
    }),
  );
  return system;
}
