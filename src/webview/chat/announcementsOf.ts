import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { entriesFrom, entryAt } from '../../shared/state/entryPages';
import type { Action } from '../../shared/state/sessionActions';
import type { Usage } from '../../shared/state/usageState';
import { pauseText, stopReasonNotice } from '../../shared/text/statusText';
import type { AppliedActions } from './chatStore';
import { NEARLY_FULL_SHARE, contextShare } from './composer/usageFormat';

/** UTF-16 units of a message that are read out. */
const MAX_SPOKEN_CHARS = 400;

/** UTF-16 units of an answer whose markup is removed first. */
const MAX_READ_CHARS = 4 * MAX_SPOKEN_CHARS;

/** Markdown that would be read out as names of characters; the text of a link is kept. */
const MARKUP = /\[([^[\]]+)\]\([^()]*\)|^#+ |^[ :|-]+$|\*\*|[`|]/gm;

/** Announcements for one batch of actions. */
export function announcementsOf({ actions, before, after }: AppliedActions): string[] {
  const announcements: string[] = [];
  // Only the last entry of `before` can be an open message.
  for (const [index, entry] of entriesFrom(after.entries, Math.max(0, before.entries.count - 1))) {
    const was = entryAt(before.entries, index);
    const wasOpen = !was || (was.kind === 'agent' && was.endedAt === undefined);
    if (entry.kind === 'agent' && entry.endedAt !== undefined && wasOpen)
      announcements.push(truncate(entry.text.slice(0, MAX_READ_CHARS).replace(MARKUP, '$1'), MAX_SPOKEN_CHARS));
  }
  for (const action of actions) {
    if (action.type === 'permissionAsked' && !action.outcome) announcements.push(permissionText(action));
    if (action.type === 'elicitationAsked') announcements.push(t('Waiting for you: {0}', action.message));
    if (action.type === 'messageQueued') announcements.push(t('The message is queued until the turn ends'));
    if (action.type === 'queuePaused') announcements.push(pauseText(action.pause));
    if (action.type === 'usageChanged') announcements.push(...warningOf(before.usage, after.usage));
    if (action.type === 'turnEnded')
      announcements.push(stopReasonNotice(action.stopReason)?.title ?? t('Turn finished'));
  }
  return announcements;
}

/** Announced once, when the context becomes nearly full. */
function warningOf(before: Usage | undefined, after: Usage | undefined): string[] {
  const [was, is] = [contextShare(before) ?? 0, contextShare(after) ?? 0];
  if (was >= NEARLY_FULL_SHARE || is < NEARLY_FULL_SHARE) return [];
  return [t('The context is nearly full: {0}% used', Math.round(is * 100))];
}

function permissionText({ title, destructive }: Extract<Action, { type: 'permissionAsked' }>): string {
  return destructive === undefined
    ? t('Waiting for you: {0}', title)
    : t('Waiting for you: {0}. Destructive: {1}', title, destructive);
}
