import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE } from './privateFiles';

/**
 * Replaces a file atomically, also when several windows write it.
 * @param file absolute
 */
export async function writeFileAtomic(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}.new`;
  await makePrivateFolder(dirname(file));
  await writeFile(fresh, text, { mode: PRIVATE_FILE });
  await rename(fresh, file);
}
