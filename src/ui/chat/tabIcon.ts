import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { SessionStatus } from '../../history/sessionSummary';
import { listTitle } from '../../history/sessionSummary';
import type { SessionState } from '../../shared/state/sessionState';

/** UTF-16 units: tabs grow with their title. */
const MAX_TITLE = 40;

/** The session's title, with a text when it waits, since an icon alone is not accessible. */
export function tabTitle({ title }: SessionState, status: SessionStatus): string {
  const name = title === undefined ? t('New Chat') : shortTitle(title, MAX_TITLE);
  return status === 'waiting' ? t('{0} (waiting for you)', name) : name;
}

/** A title from an agent as one line of VS Code's own surfaces. `length` in UTF-16 units. */
function shortTitle(title: string, length: number): string {
  return truncate(escapeInvisibleInline(listTitle(title)), length);
}

/** A page of an editor tab of its own: names its script in dist/webview and its icon in media/tab. */
export type TablePage = 'traffic' | 'audit' | 'races';

/**
 * A tab's icon: VS Code only accepts files, one per theme kind.
 * @param name of a file in media/tab
 */
export function tabIcon(
  extensionUri: vscode.Uri,
  name: SessionStatus | TablePage,
): { light: vscode.Uri; dark: vscode.Uri } {
  const file = (theme: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, 'media', 'tab', `${name}-${theme}.svg`);
  return { light: file('light'), dark: file('dark') };
}
