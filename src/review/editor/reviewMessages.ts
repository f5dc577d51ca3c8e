import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { Session } from '../../session/session';
import type { Notice } from '../../workbench/notice';
import type { ChangeReview } from '../changeReview';
import type { ReviewProblem } from '../tracking/modifiedFiles';
import type { ReviewScopes } from '../tracking/reviewScope';

const MAX_SHOWN = 3;

/** A warning with the problems; undefined when there are none. */
export function problemNotice(problems: readonly ReviewProblem[], scopes: ReviewScopes): Notice | undefined {
  const [text, ...details] = problemTexts(problems, scopes);
  return text === undefined ? undefined : { text, details, isWarning: true };
}

/** One line for each of the first problems, and one for the rest. */
export function problemTexts(problems: readonly ReviewProblem[], scopes: ReviewScopes): readonly string[] {
  const shown = problems.slice(0, MAX_SHOWN).map((problem) => reviewProblemText(problem, scopes));
  const more = problems.length - shown.length;
  return more > 0 ? [...shown, t('{0} more files could not be changed.', more)] : shown;
}

/** By path: titles of other sessions that changed the file. */
export type SharedFiles = ReadonlyMap<string, readonly string[]>;

/** The files that other sessions changed, too: an Undo of the whole file reverts the changes of all agents together. */
export function sharedFiles(
  paths: readonly string[],
  sessionId: string | undefined,
  review: ChangeReview,
  sessions: OpenSessions,
): SharedFiles {
  const shared = new Map<string, readonly string[]>();
  for (const path of paths) {
    const others = review.othersIn(path, sessionId ?? '');
    if (others.length > (sessionId === undefined ? 1 : 0)) shared.set(path, sessionTitles(others, sessions));
  }
  return shared;
}

interface OpenSessions {
  getOpen(id: string): Session | undefined;
}

export function sessionTitles(ids: readonly string[], sessions: OpenSessions): readonly string[] {
  return ids.map((id) => {
    const title = sessions.getOpen(id)?.state.title;
    return title === undefined ? t('another session') : t('“{0}”', escapeInvisibleInline(title));
  });
}

/**
 * Why an Undo may take back what this session's agent has not changed, by path.
 * @param others of an undo of all files: one of a single file names them afterwards
 * @param sessionId the session; undefined for changes of all sessions
 */
export function undoDoubts(
  paths: readonly string[],
  others: SharedFiles,
  review: ChangeReview,
  sessionId: string | undefined,
): ReadonlyMap<string, string> {
  const doubts = new Map<string, string>();
  for (const path of paths) {
    const titles = others.get(path);
    const file = review.file(path);
    const isOwn = sessionId !== undefined && file?.sessions.includes(sessionId) === true;
    const names = [...new Set(titles)].join(', ');
    if (titles) doubts.set(path, isOwn ? t('also changed by {0}', names) : t('changed by {0}', names));
    else if (file?.isUnsure) doubts.set(path, t('author unknown'));
  }
  return doubts;
}

/** Names the other sessions whose changes were undone, too. */
export function sharedTexts(done: readonly string[], others: SharedFiles, scopes: ReviewScopes): readonly string[] {
  const shared = done.flatMap((path) => {
    const titles = others.get(path);
    return titles ? [`${relativeName(path, scopes)}: ${sharedText(titles)}`] : [];
  });
  const more = shared.length - MAX_SHOWN;
  const shown = shared.slice(0, MAX_SHOWN);
  return more > 0 ? [...shown, t('Changes of other sessions were undone in {0} more files, too.', more)] : shown;
}

function sharedText(titles: readonly string[]): string {
  return t('The changes of {0} were undone, too.', [...new Set(titles)].join(', '));
}

export function reviewProblemText({ path, message }: ReviewProblem, scopes: ReviewScopes): string {
  return path === '' ? message : `${relativeName(path, scopes)}: ${message}`;
}

/** @param single the path, for an undo of one file */
export function undoneText(count: number, single: string | undefined, scopes: ReviewScopes): string {
  return t('Undid changes in {0}', single === undefined ? fileCount(count) : relativeName(single, scopes));
}

export function relativeName(path: string, scopes: ReviewScopes): string {
  return escapeInvisibleInline(scopes.nameInWorktree(path) ?? vscode.workspace.asRelativePath(path));
}

export function toWarning(text: string): Notice {
  return { text, isWarning: true };
}

/** `1 file`, `3 files`. */
export function fileCount(count: number): string {
  return count === 1 ? t('1 file') : t('{0} files', count);
}
