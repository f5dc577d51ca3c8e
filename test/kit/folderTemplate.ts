import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder that is made once, before the first test that needs it, and then copied: git starts a dozen processes to make a repository with
 * a few commits. For a folder whose files name their own place, `make` fills that place and returns it: copy it there again.
 * @param make fills the folder, or returns another one
 * @returns Copies it to this place, which may exist.
 */
export function folderTemplate(make: (folder: string) => Promise<string | void>): (to: string) => Promise<void> {
  let made: Promise<string> | undefined;
  const copy = (from: string, to: string): Promise<void> =>
    cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const create = async (): Promise<string> => {
    const parent = mkdtempSync(join(tmpdir(), 'parley-template-'));
    process.once('exit', () => rmSync(parent, { recursive: true, force: true }));
    const folder = join(parent, 'folder');
    await mkdir(folder);
    const other = await make(folder);
    if (other !== undefined) await copy(other, folder);
    return folder;
  };
  return async (to) => copy(await (made ??= create()), to);
}
