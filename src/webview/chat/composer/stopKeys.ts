import type { PageEnvironment, PageMessage } from '../../../shared/protocol/chatPageProtocol';
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

/** `now`: into the running turn. */
export type SendHow = 'send' | 'now';

/**
 * What an Enter key does in a box for messages, by the setting `parley.sendKey`: sends, or sends into the running turn.
 * Undefined: it breaks the line, or does nothing.
 */
export function sendOf(event: KeyboardEvent, { mac, sendKey }: PageEnvironment): SendHow | undefined {
  if (event.key !== 'Enter' || event.altKey || (mac ? event.ctrlKey : event.metaKey)) return undefined;
  const isModified = mac ? event.metaKey : event.ctrlKey;
  if (sendKey === 'modifierEnter') return isModified ? (event.shiftKey ? 'now' : 'send') : undefined;
  if (event.shiftKey) return undefined;
  return isModified ? 'now' : 'send';
}

/** The keys that send, and that send into the running turn, as shown. */
export function sendKeyLabels({ mac, sendKey }: PageEnvironment): readonly [string, string] {
  const keys = ['Enter', mac ? '⌘Enter' : 'Ctrl+Enter', mac ? '⇧⌘Enter' : 'Ctrl+Shift+Enter'] as const;
  return sendKey === 'modifierEnter' ? [keys[1], keys[2]] : [keys[0], keys[1]];
}

export function stopTurn(event: KeyboardEvent, turn: Turn, post: (message: PageMessage) => void): void {
  if (turn.status !== 'running' || turn.stopping) return;
  event.preventDefault();
  post({ type: 'stop' });
}
