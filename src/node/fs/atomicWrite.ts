import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isFolder, moveAside } from './moveAside';
import { makePrivateFolder, PRIVATE_FILE_MODE } from './privateFiles';

/**
 * Replaces a file atomically, also when several windows write it: a reader and a crash see the old or the new content.
 * Creates the folder. A folder in the place of the file is moved aside.
 * @param file absolute
 */
export async function writeFileAtomic(file: string, content: string | Uint8Array | Iterable<string>): Promise<void> {
  await makePrivateFolder(dirname(file));
  try {
    await replaceFile(file, content);
  } catch (error) {
    if (!(await isFolder(file))) throw error;
    await moveAside(file);
    await replaceFile(file, content);
  }
}

/** As {@link writeFileAtomic}, in a folder of the user. */
export async function replaceFile(file: string, content: string | Uint8Array | Iterable<string>): Promise<void> {
  const fresh = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(fresh, content, { mode: PRIVATE_FILE_MODE });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    throw error;
  }
}
