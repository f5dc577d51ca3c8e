import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { ParleyError, isMissingPath } from '../../base/errors';
import { t } from '../../base/l10n';

/** What differs once another program has written to a file or replaced it. Modes and names may differ. */
export type FileVersion = Readonly<Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>>;

/** The file is not as it was when it was read, or was compared with what it should be. */
export class FileChangedError extends ParleyError {
  constructor() {
    super('conflict', t('The file has changed in the meantime. Try again.'));
  }
}

/**
 * The version of a file or link. Read it before the content.
 * @throws system errors
 */
export async function fileVersion(path: string): Promise<FileVersion | 'none'> {
  try {
    const info = await lstat(path, { bigint: true });
    return info.isDirectory() ? 'none' : info;
  } catch (error) {
    if (isMissingPath(error)) return 'none';
    throw error;
  }
}

/**
 * Call it directly before the write.
 * @param seen undefined requires nothing
 * @throws FileChangedError when the file has another version
 */
export async function requireVersion(path: string, seen: FileVersion | 'none' | undefined): Promise<void> {
  if (seen !== undefined && !isSameVersion(await fileVersion(path), seen)) throw new FileChangedError();
}

export function isSameVersion(one: FileVersion | 'none', other: FileVersion | 'none'): boolean {
  if (one === 'none' || other === 'none') return one === other;
  return one.ino === other.ino && one.dev === other.dev && one.size === other.size && one.mtimeNs === other.mtimeNs;
}
