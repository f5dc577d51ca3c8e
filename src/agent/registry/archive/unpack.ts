import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream';
import { t } from '../../../base/l10n';
import type { ArchiveLimits } from './archiveLimits';
import { ARCHIVE_LIMITS, SizeMeter, archiveError } from './archiveLimits';
import { safeArchiveSegments } from './safeArchivePath';
import { UnpackTarget } from './unpackTarget';
import { unbzip2 } from './unbzip2';
import { untar } from './untar';
import { unzip } from './unzip';

export type ArchiveKind = 'zip' | 'tar.gz' | 'tar.bz2' | 'raw';

/**
 * The kind of a download by the ending of its URL path; without a known ending it is the program itself (FORMAT.md).
 */
export function archiveKind(url: string): ArchiveKind {
  const path = new URL(url).pathname.toLowerCase();
  if (path.endsWith('.zip')) return 'zip';
  if (/\.(?:tar\.gz|tgz)$/.test(path)) return 'tar.gz';
  if (/\.(?:tar\.bz2|tbz2)$/.test(path)) return 'tar.bz2';
  return 'raw';
}

/** The reason why an archive format is unsupported; such a file must not count as a program. */
export function unsupportedArchiveError(url: string): string | undefined {
  if (archiveKind(url) !== 'raw') return undefined;
  return /\.(?:tar|tar\.xz|txz|tar\.zst|tzst|7z|rar|gz|bz2|xz|zst|dmg|pkg|msi|deb|rpm)$/.exec(
    new URL(url).pathname.toLowerCase(),
  )?.[0];
}

/**
 * Unpacks a downloaded file into an existing, empty folder.
 * @param program path of the program inside; a raw download becomes this file
 * @throws ParleyError; the caller removes what was written
 */
export async function unpack(
  file: string,
  kind: ArchiveKind,
  folder: string,
  program: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<void> {
  if (kind === 'raw') {
    const to = programPath(folder, program);
    await mkdir(join(to, '..'), { recursive: true });
    await copyFile(file, to);
    return;
  }
  const target = new UnpackTarget(folder, new SizeMeter((await stat(file)).size, limits));
  if (kind === 'zip') await unzip(file, target);
  else await untar(kind === 'tar.gz' ? gunzip(file) : unbzip2(createReadStream(file)), target);
  await target.finish();
}

/**
 * Absolute path of the program in an unpacked archive.
 * @throws ParleyError when the path leaves the folder
 */
export function programPath(folder: string, program: string): string {
  const segments = safeArchiveSegments(program, process.platform === 'win32');
  if ('problem' in segments || segments.length === 0)
    throw archiveError(t('the path of its program {0} is not valid', JSON.stringify(program)));
  return join(folder, ...segments);
}

/**
 * Finds the program and makes it executable: zip files made on Windows have no mode.
 * @throws ParleyError when it is missing
 */
export async function makeExecutable(folder: string, program: string): Promise<string> {
  const path = programPath(folder, program);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw archiveError(t('it does not contain the program {0}', JSON.stringify(program)));
  if (process.platform !== 'win32') await chmod(path, 0o755);
  return path;
}

function gunzip(file: string): AsyncIterable<Uint8Array> {
  return pipeline(createReadStream(file), createGunzip(), () => {
    // The reader gets the error, too. Without a listener here, the error would be unhandled.
  });
}
