import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { isInsideFolders } from '../../../node/fs/realPaths';

/** Adds to each text its absolute path in one of the folders, if it exists. */
export function existingPaths(
  texts: readonly string[],
  folders: readonly string[],
): Promise<{ readonly text: string; readonly path: string | undefined }[]> {
  return Promise.all(texts.map(async (text) => ({ text, path: await there(text, folders) })));
}

async function there(text: string, folders: readonly string[]): Promise<string | undefined> {
  // UNC path: a lookup would contact another computer.
  if (/^[\\/]{2}/.test(text) || text.includes('\0')) return undefined;
  const paths = isAbsolute(text) ? [text] : folders.map((folder) => resolve(folder, text));
  for (const path of paths) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined && (await isInsideFolders(real, folders))) return path;
  }
  return undefined;
}
