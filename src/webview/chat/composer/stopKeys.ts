import type { PageMessage } from '../../../shared/protocol/chatPageProtocol';
import type { Turn } from '../../../shared/state/sessionState';

/** VS Code's keys for canceling a chat request; plain Escape must not lose work. */
export function stopKeyLabel(mac: boolean): string {
  if (mac) return '⌘Escape';
  return isOnWindows() ? 'Alt+Backspace' : 'Ctrl+Escape';
}

export function isStopKey(event: KeyboardEvent, mac: boolean): boolean {
  if (!mac && isOnWindows()) return event.altKey && event.key === 'Backspace';
  return event.key === 'Escape' && (mac ? event.metaKey : event.ctrlKey);
}

function isOnWindows(): boolean {
  return navigator.userAgent.includes('Windows');
}

export function isSendNowKey(event: KeyboardEvent, mac: boolean): boolean {
  return event.key === 'Enter' && (mac ? event.metaKey : event.ctrlKey) && !event.shiftKey && !event.altKey;
}

export function stopTurn(event: KeyboardEvent, turn: Turn, post: (message: PageMessage) => void): void {
  if (turn.status !== 'running' || turn.stopping) return;
  event.preventDefault();
  post({ type: 'stop' });
}
