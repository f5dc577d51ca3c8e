import { omitUndefined } from '../../base/json';
import type { FileStatus } from '../../shared/state/reviewState';
import { isSameContent } from '../storage/fileContent';
import type { FileAttribution } from './fileAttribution';
import {
  applyAgentEdit,
  applyUserEdit,
  carryLines,
  isBinary,
  isUnchangedFile,
  statusOf,
  unchangedFile,
} from './fileAttribution';
import type { Hunk } from './hunks';
import { hunksOf, keepHunks, overlaps } from './hunks';

/**
 * The work of each session in a file that several sessions changed, by session id. A share is the file as that session's review would have
 * it: what the others change counts as the user's, so that no Undo of the share removes it. Pure.
 */
export type SessionShares = ReadonlyMap<string, FileAttribution>;

/** A file that sessions changed. */
interface SharedFile {
  readonly attribution: FileAttribution;
  /** Ids of the sessions. */
  readonly sessions: readonly string[];
  /** Undefined where one session, or an unknown one of several, has made all changes. */
  readonly shares?: SessionShares;
}

/** What a session has to review in a file. */
export interface ShareSummary {
  readonly status: FileStatus;
  /** Lines. */
  readonly added: number;
  readonly removed: number;
}

/** Undefined for a session that has not changed the file. */
export function shareOf({ attribution, sessions, shares }: SharedFile, id: string): FileAttribution | undefined {
  return sessions.includes(id) ? (shares?.get(id) ?? attribution) : undefined;
}

/** The file once a fork has taken over the work of the session that it continues, as has the session itself. */
export function withHeir<T extends SharedFile>(file: T, from: string, to: string): T {
  const share = shareOf(file, from);
  if (!share || file.sessions.includes(to)) return file;
  const shares = file.shares && new Map([...file.shares, [to, share]]);
  return { ...file, sessions: [...file.sessions, to], ...omitUndefined({ shares }) };
}

/**
 * The shares after a change.
 * @param sessions all that have changed the file
 * @param authors those that made this change: none for the user, `step` for Keep and Undo
 */
export function sharesAfter(
  before: SharedFile,
  next: FileAttribution,
  sessions: readonly string[],
  authors: readonly string[] | 'step',
): SessionShares | undefined {
  if (sessions.length < 2) return undefined;
  const shares = new Map<string, FileAttribution>();
  for (const id of sessions) {
    const share = shareOf(before, id) ?? unchangedFile(before.attribution.text);
    const isAuthor = authors !== 'step' && authors.includes(id);
    const changed = isAuthor ? applyAgentEdit(share, next.text) : applyUserEdit(share, next.text);
    // Lines that an Undo brings back are nobody's new ones.
    const { userLines } = authors === 'step' && !isUnchangedFile(changed) ? carryLines(share, next.text) : changed;
    shares.set(id, withoutReviewed({ ...changed, userLines }, next));
  }
  return coverAll(next, shares) ? shares : undefined;
}

/** What is no longer under review in the file is not in a share either. */
function withoutReviewed(share: FileAttribution, file: FileAttribution): FileAttribution {
  if (isUnchangedFile(file)) return unchangedFile(file.text);
  if (isBinary(share) || isBinary(file)) return share;
  const open = hunksOf(file);
  const reviewed = hunksOf(share).filter((hunk) => !open.some((each) => overlaps(each, hunk)));
  return reviewed.length === 0 ? share : keepHunks(share, reviewed);
}

/** Whether each change is in a share. Otherwise, as after an undo of an older step, nobody knows whose it is. */
function coverAll(file: FileAttribution, shares: SessionShares): boolean {
  const all = [...shares.values()];
  if (isBinary(file)) return isUnchangedFile(file) || all.some((share) => !isUnchangedFile(share));
  const parts = all.flatMap(hunksOf);
  return hunksOf(file).every((hunk) => parts.some((part) => overlaps(part, hunk)));
}

/** The sessions with work in the file, or in one of its hunks. */
export function sessionsIn(file: SharedFile, hunk?: Hunk): readonly string[] {
  const { shares, sessions, attribution } = file;
  if (!shares) return sessions;
  return sessions.filter((id) => {
    const share = shares.get(id) ?? attribution;
    if (isUnchangedFile(share)) return false;
    return !hunk || isBinary(share) || hunksOf(share).some((part) => overlaps(part, hunk));
  });
}

/** Whose work an Undo of a session's file, or of one of its hunks, would take back besides its own. */
export function othersIn(file: SharedFile, id: string, hunk?: Hunk): readonly string[] {
  const others = sessionsIn(file, hunk).filter((each) => each !== id);
  if (others.length > 0) return others;
  // The share may stand on the work of another session, such as a deletion of a file that it had changed.
  const share = file.shares?.get(id);
  const isOnOthers = share && !isUnchangedFile(share) && !isSameContent(share.base, file.attribution.base);
  return isOnOthers && !hunk ? file.sessions.filter((each) => each !== id) : [];
}

/** By session; undefined where the file has a single one. */
export function shareSummaries({ shares }: SharedFile): ReadonlyMap<string, ShareSummary> | undefined {
  return (
    shares &&
    new Map(
      Array.from(shares)
        .filter(([, share]) => !isUnchangedFile(share))
        .map(([id, share]) => [id, { status: statusOf(share), ...ownLines(share, share) }]),
    )
  );
}

/** Lines of a change to the file's text, such as that of a turn, that are a session's. Empty for a binary file. */
export function ownLines(
  share: FileAttribution,
  change: FileAttribution,
): { readonly added: number; readonly removed: number } {
  const parts = hunksOf(share);
  const others = new Set(share.userLines);
  const own = hunksOf(change).filter((hunk) => parts.some((part) => overlaps(part, hunk)));
  const isOwn = ({ after: { start, lines } }: Hunk): number =>
    Array.from({ length: lines }, (_, at) => start + at).filter((line) => !others.has(line)).length;
  return {
    added: own.reduce((sum, hunk) => sum + isOwn(hunk), 0),
    removed: own.reduce((sum, { before }) => sum + before.lines, 0),
  };
}

/** The file after an Undo in a share. */
export function fileAfterUndo(file: FileAttribution, share: FileAttribution): FileAttribution {
  if (isSameContent(share.text, file.base)) return unchangedFile(file.base);
  return { ...file, text: share.text, userLines: carryLines(file, share.text).userLines };
}
