import { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';
import type { ParsedTarEntry } from 'modern-tar';
import type { Entry, ZipFile } from 'yauzl';
import { errorMessage, ParleyError } from '../../../base/errors';
import { t } from '../../../base/l10n';
import type { ArchiveLimits } from './archiveLimits';
import { ARCHIVE_LIMITS, SizeMeter, archiveError } from './archiveLimits';
import { safeArchiveSegments } from './safeArchivePath';
import { UnpackTarget } from './unpackTarget';

const MAX_LINK_BYTES = 4_096;
const FILE_TYPE_MASK = 0o170000;
const SYMLINK_MODE = 0o120000;
const REGULAR_FILE_MODE = 0o100000;
const FOLDER_MODE = 0o040000;

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

/** Unpacks a tar stream (ustar, pax, GNU long names). Devices, pipes and sockets are refused. */
async function untar(source: AsyncIterable<Uint8Array>, target: UnpackTarget): Promise<void> {
  let hasEntries = false;
  try {
    const { createTarDecoder } = await import('modern-tar');
    // Node's types declare two kinds of web streams for the same objects.
    const tar = ReadableStream.from(source) as unknown as globalThis.ReadableStream<Uint8Array>;
    const decoded = tar.pipeThrough(createTarDecoder({ strict: true })) as unknown as AsyncIterable<ParsedTarEntry>;
    for await (const entry of decoded) {
      hasEntries = true;
      await addTarEntry(entry, target);
    }
  } catch (error) {
    throw ParleyError.is(error) ? error : archiveError(t('it is damaged ({0})', errorMessage(error)), error);
  }
  if (!hasEntries) throw archiveError(t('it is empty or not an archive'));
}

async function addTarEntry({ header, body }: ParsedTarEntry, target: UnpackTarget): Promise<void> {
  const { name, type = 'file', mode = 0, linkname = '' } = header;
  const content = body as unknown as AsyncIterable<Uint8Array> & { cancel(): Promise<void> };
  if (type === 'file' && !name.endsWith('/'))
    return target.add({ name, type, isExecutable: (mode & 0o111) !== 0, content });
  // Old archives mark a folder only by a trailing slash.
  if (type === 'directory' || type === 'file') await target.add({ name, type: 'folder' });
  else if (type === 'symlink' || type === 'link') await target.add({ name, type, target: linkname });
  else if (type !== 'pax-global-header')
    throw archiveError(t('{0} is not a file, folder or link ({1})', JSON.stringify(name), type));
  return content.cancel();
}

/** A larger result of one step (at most 1.5 blocks of compressed data) is a bomb; a normal step gives a few MB. */
const MAX_AT_ONCE = 256 * 1024 * 1024;
/** Small steps keep the extension host responsive while a block is decompressed. */
const STEP_BYTES = 64 * 1024;

/**
 * Decompresses bzip2. The library pushes its output: each input chunk is written only after the previous output was
 * consumed.
 */
export async function* unbzip2(source: AsyncIterable<Uint8Array>, maxAtOnce = MAX_AT_ONCE): AsyncGenerator<Uint8Array> {
  const { default: unbzip2Stream } = await import('unbzip2-stream');
  const decoder = unbzip2Stream();
  const out: Uint8Array[] = [];
  const failures: unknown[] = [];
  let atOnce = 0;
  decoder.on('data', (chunk: Uint8Array) => {
    atOnce += chunk.length;
    // Thrown inside the library's own loop, which stops it.
    if (atOnce > maxAtOnce) throw archiveError(t('it unpacks to far more than it should'));
    out.push(chunk);
  });
  decoder.on('error', (error: unknown) => failures.push(error));
  const taken = function* (): Generator<Uint8Array> {
    if (failures.length > 0) throw failures[0];
    yield* out.splice(0);
    atOnce = 0;
  };
  for await (const chunk of source) {
    for (let start = 0; start < chunk.length; start += STEP_BYTES) {
      decoder.write(Buffer.from(chunk.subarray(start, start + STEP_BYTES)));
      yield* taken();
    }
  }
  decoder.end();
  yield* taken();
}

/** Unpacks a zip file entry by entry; sizes in its directory are checked against the unpacked data. */
async function unzip(file: string, target: UnpackTarget): Promise<void> {
  let zip: ZipFile | undefined;
  try {
    const { openPromise } = await import('yauzl');
    zip = await openPromise(file, { lazyEntries: true, autoClose: false, validateEntrySizes: true });
    for await (const entry of zip.eachEntry()) await addZipEntry(zip, entry, target);
  } catch (error) {
    throw ParleyError.is(error) ? error : archiveError(t('it is damaged ({0})', errorMessage(error)), error);
  } finally {
    zip?.close();
  }
}

async function addZipEntry(zip: ZipFile, entry: Entry, target: UnpackTarget): Promise<void> {
  const name = entry.fileName;
  // The upper 16 bits are the Unix mode, if the archive was made on such a system.
  const mode = entry.externalFileAttributes >>> 16;
  const type = mode & FILE_TYPE_MASK;
  if (name.endsWith('/')) return target.add({ name, type: 'folder' });
  if (entry.isEncrypted()) throw archiveError(t('{0} is encrypted', JSON.stringify(name)));
  if (type === SYMLINK_MODE) return target.add({ name, type: 'symlink', target: await linkText(zip, entry) });
  if (type !== 0 && type !== REGULAR_FILE_MODE && type !== FOLDER_MODE)
    throw archiveError(t('{0} is not a file, folder or link', JSON.stringify(name)));
  return target.add({ name, type: 'file', isExecutable: (mode & 0o111) !== 0, content: contentOf(zip, entry) });
}

/** Opened only when it is read: a stream error without a listener would end the extension host. */
async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk as Uint8Array;
}

async function linkText(zip: ZipFile, entry: Entry): Promise<string> {
  if (entry.uncompressedSize > MAX_LINK_BYTES)
    throw archiveError(t('the link {0} is too long', JSON.stringify(entry.fileName)));
  const chunks: Uint8Array[] = [];
  for await (const chunk of contentOf(zip, entry)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
