import type { PageContext } from './pageContext';

/** Reports whether the page may show notifications of the operating system, and shows them. */
export async function showNotifications({ post, onHostMessage }: PageContext): Promise<void> {
  onHostMessage((message) => {
    if (message.type === 'showNotification') showNotification(message, post);
  });
  if (!('Notification' in window)) return;
  const report = (): void => post({ type: 'notificationPermission', granted: Notification.permission === 'granted' });
  report();
  const status = await navigator.permissions.query({ name: 'notifications' });
  status.addEventListener('change', report);
}

/** Silent: `parley.sound` plays the sound. */
function showNotification(
  { id, title, body }: { id: string; title: string; body: string },
  post: PageContext['post'],
): void {
  try {
    const notification = new Notification(title, { body, silent: true });
    notification.addEventListener('click', () => {
      window.focus();
      post({ type: 'notificationClicked', id });
      notification.close();
    });
    notification.addEventListener('error', () => post({ type: 'notificationFailed', id }));
  } catch {
    // The constructor is missing or not allowed on some platforms.
    post({ type: 'notificationFailed', id });
  }
}
