import { createHash } from 'node:crypto';
import type { TurnFile } from '../../shared/state/turnSummary';
import type { ModifiedFiles } from './modifiedFiles';
import type { FileContent } from './fileAttribution';
import { lineCounts, isBinary, sameContent, statusOf } from './fileAttribution';

/** What the files under review were when a turn began. */
export type TurnBaseline = ReadonlyMap<string, FileContent | undefined>;

/** Notes what is in the files that are followed already; all others are what they are when an agent first touches them. */
export function captureTurnBaseline(ledger: ModifiedFiles): TurnBaseline {
  return new Map(ledger.paths().map((path) => [path, ledger.get(path)?.tracked.text]));
}

/**
 * The files that an agent has changed since then, ordered by label.
 * @param label a path as people read it
 */
export function turnFiles(
  ledger: ModifiedFiles,
  sessionId: string,
  before: TurnBaseline,
  label: (path: string) => string,
): readonly TurnFile[] {
  const files = ledger.paths().flatMap((path): TurnFile[] => {
    const item = ledger.get(path);
    if (!item?.sessions.includes(sessionId)) return [];
    const base = before.has(path) ? before.get(path) : item.tracked.base;
    const { text } = item.tracked;
    if (sameContent(base, text)) return [];
    const change = { base, text, personal: [], touched: false };
    const counts = isBinary(change) ? { added: 0, removed: 0 } : lineCounts(change);
    const mark = contentKey(text);
    return [{ path, label: label(path), status: statusOf(change), ...counts, ...(mark !== undefined && { mark }) }];
  });
  return files.toSorted((a, b) => (a.label < b.label ? -1 : Number(a.label > b.label)));
}

/** Tells a content from every other one; undefined for no file. */
export function contentKey(content: FileContent | undefined): string | undefined {
  if (!content) return undefined;
  return createHash('sha256').update(content.mode).update(content.bytes, 'latin1').digest('hex').slice(0, 16);
}
