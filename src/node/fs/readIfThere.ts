import { lstat, readFile, readdir } from 'node:fs/promises';
import { isMissingPath } from '../../base/errors';

/**
 * The content of a file; undefined without a file. A caller that took an unreadable file for a missing one would replace it.
 * @throws system errors when the file cannot be read
 */
export async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (isMissingPath(error)) return undefined;
    throw error;
  }
}

/**
 * The names in a folder; empty when the folder is missing.
 * @throws system errors when the folder cannot be read
 */
export async function listIfThere(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissingPath(error)) return [];
    throw error;
  }
}

/**
 * Whether there is a file or folder.
 * @throws system errors when nobody knows
 */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissingPath(error)) return false;
    throw error;
  }
}
