import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders of a window's data: the transcripts, the files under review, unsent comments and drafts. */
const WINDOW_FOLDERS = ['sessions', 'review', 'state'];

/**
 * Whether an earlier window left data that may need work without the user: a scheduled message, marks of a review, comments, a worktree.
 * @param storage absolute folder of this window's data
 * @param shared absolute folder of the data of all windows
 */
export async function hasStoredData(storage: string, shared: string): Promise<boolean> {
  const folders = [...WINDOW_FOLDERS.map((name) => join(storage, name)), join(shared, 'worktrees')];
  const names = await Promise.all(folders.map(namesIn));
  // The folders of locks begin with a dot and stay behind.
  return names.flat().some((name) => !name.startsWith('.'));
}

/** A folder that cannot be read is no reason to start: the application reports it when it is used. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
