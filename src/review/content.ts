import { chmod, lstat, mkdir, readFile, readlink, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Content } from './tracked';

/** Files as {@link Content}: exact bytes, links as links. */

/** A larger file is not reviewed. Bytes. */
const MAX_READ = 10 * 1024 * 1024;

/** What is on disk; undefined when there is no file. `unknown` for what is no file, too large, or may not be read. */
export async function readContent(path: string): Promise<Content | 'unknown' | undefined> {
  try {
    const info = await lstat(path);
    if (info.isSymbolicLink()) return { mode: '120000', bytes: latin1(Buffer.from(await readlink(path))) };
    if (info.isDirectory()) return undefined;
    if (!info.isFile() || info.size > MAX_READ) return 'unknown';
    return { mode: (info.mode & 0o100) === 0 ? '100644' : '100755', bytes: latin1(await readFile(path)) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'unknown';
  }
}

/** Makes the disk hold `content`, or nothing. @throws system errors */
export async function writeContent(path: string, content: Content | undefined): Promise<void> {
  const info = await lstat(path).catch(() => undefined);
  if (!content) {
    if (info && !info.isDirectory()) await unlink(path);
    return;
  }
  // Never through a link: what it points to is another file, perhaps outside of the workspace.
  if (info?.isDirectory()) await rmdir(path);
  else if (info && (info.isSymbolicLink() || content.mode === '120000')) await unlink(path);
  await mkdir(dirname(path), { recursive: true });
  if (content.mode === '120000') return symlink(bytesOf(content).toString(), path);
  await writeFile(path, bytesOf(content));
  if (process.platform === 'win32') return;
  // Of the file as written: what stood there before may have been a link or a folder, with a mode of its own.
  const { mode } = await lstat(path);
  if (((mode & 0o100) !== 0) === (content.mode === '100755')) return;
  await chmod(path, content.mode === '100755' ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
}

export function bytesOf(content: Content): Buffer {
  return Buffer.from(content.bytes, 'latin1');
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** A file of a git tree. @param mode as git writes it */
export function contentOf(mode: string, bytes: Uint8Array): Content {
  const known = mode === '100755' || mode === '120000' ? mode : '100644';
  return { mode: known, bytes: latin1(bytes) };
}
