import { createHash } from 'node:crypto';
import { omitUndefined } from '../../base/json';
import type { TurnFile } from '../../shared/state/turnSummary';
import type { FileContent } from '../storage/fileContent';
import { isSameContent } from '../storage/fileContent';
import { linesOf, isBinary, statusOf, unchangedFile } from './fileAttribution';
import type { FileAttribution } from './fileAttribution';
import { lineCounts } from './hunks';
import type { ModifiedFiles } from './modifiedFiles';
import { ownLines } from './sessionShares';

/** Reviewed files at the start of a turn, and what git has brought since. */
export type TurnBaseline = Map<string, FileAttribution>;

/** Captures tracked files; others have their content from the agent's first access. */
export function captureTurnBaseline(modifiedFiles: ModifiedFiles): TurnBaseline {
  return new Map(
    modifiedFiles.paths().map((path) => [path, modifiedFiles.get(path)?.attribution ?? unchangedFile(undefined)]),
  );
}

/** Files that an agent has changed since, ordered by label. */
export function turnFiles(modifiedFiles: ModifiedFiles, sessionId: string, before: TurnBaseline): readonly TurnFile[] {
  const files = modifiedFiles.paths().flatMap((path): TurnFile[] => {
    const item = modifiedFiles.get(path);
    if (!item?.sessions.includes(sessionId)) return [];
    const known = before.get(path);
    const base = known ? known.text : item.attribution.base;
    const { text } = item.attribution;
    if (isSameContent(base, text)) return [];
    const change = { base, text, userLines: [], isReplacedByUser: false };
    const share = item.shares?.get(sessionId);
    const counts = share ? ownLines(share, change) : lineCounts(change);
    // Another session has changed the file in this turn.
    if (share && !isBinary(change) && counts.added + counts.removed === 0) return [];
    const marks = omitUndefined({ before: contentKey(base), mark: contentKey(text) });
    const isShared = isEditedByUser(item.attribution, known);
    const label = modifiedFiles.label(path);
    return [{ path, label, status: statusOf(change), ...counts, ...marks, ...(isShared && { isShared }) }];
  });
  return files.toSorted((a, b) => (a.label < b.label ? -1 : Number(a.label > b.label)));
}

/** Whether the user, too, has changed a file in a turn. @param known the file at its start, if it was under review */
function isEditedByUser(now: FileAttribution, known: FileAttribution | undefined): boolean {
  if (now.isReplacedByUser || userTextOf(now) !== (known ? userTextOf(known) : '')) return true;
  // Text of the user apart from the agent's is part of both.
  return known !== undefined && !isSameContent(known.base, now.base);
}

function userTextOf({ text, userLines }: FileAttribution): string {
  if (userLines.length === 0) return '';
  const lines = linesOf(text);
  return userLines.map((line) => lines[line] ?? '').join('');
}

const contentKeys = new WeakMap<FileContent, string>();

/** Identifies a content; undefined for no file. */
export function contentKey(content: FileContent | undefined): string | undefined {
  if (!content) return undefined;
  const key = contentKeys.get(content) ?? hashOf(content);
  contentKeys.set(content, key);
  return key;
}

function hashOf(content: FileContent): string {
  return createHash('sha256').update(content.mode).update(content.bytes, 'latin1').digest('hex').slice(0, 16);
}
