import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Whether the file system of a folder takes names that differ only by case for the same: a drive of Windows in WSL, a network drive. The
 * operating system does not tell.
 * @returns undefined where nobody knows: no entry of the folder has a letter, or it cannot be read
 */
export async function foldsCase(folder: string): Promise<boolean | undefined> {
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    const other = name.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
    if (other === name) continue;
    const [own, same] = await Promise.all(
      [name, other].map((each) => lstat(join(folder, each)).catch(() => undefined)),
    );
    if (own) return !names.includes(other) && same !== undefined && same.ino === own.ino && same.dev === own.dev;
  }
  return undefined;
}
