import { readFile } from 'node:fs/promises';
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
