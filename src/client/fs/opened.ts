import type { FileHandle } from 'node:fs/promises';
import { lstat } from 'node:fs/promises';
import type { ResolvedPath } from './resolvePath';
import { resolvePathAgain, pathChangedError } from './resolvePath';

/**
 * Throws unless an open file is the one that `path` names, in a folder of the workspace. A folder on the way that was replaced
 * between check and open is found out before a byte is read or written, also when it was put back at once (CVE-2026-88968).
 */
export async function verifyOpenedFile(
  folders: readonly string[],
  path: ResolvedPath,
  file: FileHandle,
): Promise<void> {
  await requireSame(path, file);
  await resolvePathAgain(folders, path);
  await requireSame(path, file);
}

/** Device and number say which file it is; BigInt, for the numbers of NTFS and ReFS are larger than a double holds exactly. */
async function requireSame(path: ResolvedPath, file: FileHandle): Promise<void> {
  const opened = await file.stat({ bigint: true });
  const named = await lstat(path.real, { bigint: true }).catch(() => undefined);
  if (named?.dev !== opened.dev || named.ino !== opened.ino) throw pathChangedError(path);
}
