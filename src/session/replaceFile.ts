import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file anew: there is the old one or the new one, never half of one, also when several windows write it. @param file absolute */
export async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}.new`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(fresh, text);
  await rename(fresh, file);
}
