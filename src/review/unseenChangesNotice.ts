import { t } from '../base/l10n';
import { DisposableStore } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';
import { escapeInvisibleInline } from '../base/untrustedText';
import type { Sessions } from '../session/sessions';
import { showWarningMessage } from '../workbench/windowMessages';
import { uncheckedText } from './checkpoints/uncheckedText';
import type { UnseenChanges } from './checkpoints/unfinishedTurns';
import { dispatchWhenOpen } from './dispatchWhenOpen';

const MAX_NAMED = 15;

/**
 * Lists changes that nobody can attribute: in a notification, and in the transcript of each session as soon as it is open. Says in a
 * notification what cannot be compared now.
 * @param label converts a path for display
 */
export function reportUnseenChanges(
  changes: readonly UnseenChanges[],
  sessions: Sessions,
  label: (path: string) => string,
): Disposable {
  const title = t('Changed while Parley did not run');
  const unread = new Set(changes.flatMap((change) => change.unread ?? []));
  for (const reason of unread) void showWarningMessage(uncheckedText(reason));
  const listed = changes.filter(({ paths, isUnrecorded }) => paths.length > 0 || isUnrecorded);
  const store = new DisposableStore();
  for (const [sessionId, text] of new Map(listed.map((change) => [change.sessionId, textFor(change, label)]))) {
    void showWarningMessage(`${title}: ${text}`);
    const notice = { type: 'noticeShown', severity: 'warning', title, text, at: Date.now() } as const;
    store.add(dispatchWhenOpen(sessions, sessionId, notice));
  }
  return store;
}

function textFor({ paths, isUnrecorded }: UnseenChanges, label: (path: string) => string): string {
  if (isUnrecorded)
    return t(
      'VS Code stopped right after a message was sent, before the files were stored. What the agent changed since is not under review.',
    );
  const names = paths.slice(0, MAX_NAMED).map((path) => escapeInvisibleInline(label(path)));
  const more = paths.length - names.length;
  const listed = more > 0 ? t('{0} and {1} more', names.join(', '), more) : names.join(', ');
  return t(
    '{0}. VS Code stopped during a turn. These changes are not under review. “Restore Checkpoint” of the message undoes them.',
    listed,
  );
}
