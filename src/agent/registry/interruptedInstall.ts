import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isLocked } from '../../node/fs/fileLock';

/** The start of the name of a folder for an installation that is not finished. */
export const DRAFT = '.new-';
/** In a draft: the folder that the new one replaces. */
export const REPLACED = 'old';

/**
 * Puts back the folder of a version that a crash left moved aside, between the two renames of its replacement. Synchronous, so that no agent
 * starts before. Never throws.
 * @param home absolute: the agent's own folder
 */
export function restoreReplaced(home: string, version: string): void {
  try {
    if (existsSync(join(home, version))) return;
    const drafts = readdirSync(home).filter((name) => name.startsWith(DRAFT) && existsSync(join(home, name, REPLACED)));
    const changedAt = (name: string): number => statSync(join(home, name)).mtimeMs;
    const [draft] = drafts.toSorted((a, b) => changedAt(b) - changedAt(a));
    if (draft !== undefined && !isLocked(home, draft)) renameSync(join(home, draft, REPLACED), join(home, version));
  } catch {
    // The start of the agent says that its program is missing.
  }
}
