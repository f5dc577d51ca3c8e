import { createWriteStream } from 'node:fs';
import { copyFile, lstat, mkdir, readlink, realpath, symlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemErrorCode } from '../../../base/errors';
import { t } from '../../../base/l10n';
import type { SizeMeter } from './archiveLimits';
import { archiveError } from './archiveLimits';
import { safeLinkTarget, safeArchiveSegments } from './safeArchivePath';

type ArchiveEntry = { readonly name: string } & (
  | { readonly type: 'folder' }
  | { readonly type: 'file'; readonly isExecutable: boolean; readonly content: AsyncIterable<Uint8Array> }
  | { readonly type: 'symlink'; readonly target: string }
  /** A hard link (tar's own name for it) to an earlier file of the archive: becomes a copy. */
  | { readonly type: 'link'; readonly target: string }
);

/**
 * The new, empty target folder of an archive. Files are streamed and never written twice. Symbolic links are created
 * last, so that nothing is written through one; each is then resolved to check its real target.
 */
export class UnpackTarget {
  readonly #isWindows = process.platform === 'win32';
  /** Names of those that were created. */
  readonly #folders = new Set<string>();
  readonly #symlinks: { readonly name: string; readonly segments: readonly string[]; readonly target: string }[] = [];

  /** @param root absolute path of an existing, empty folder that no other process knows */
  constructor(
    private readonly root: string,
    private readonly meter: SizeMeter,
  ) {}

  async add(entry: ArchiveEntry): Promise<void> {
    const segments = this.#segments(entry.name);
    // The same folder again is also work.
    if (entry.type === 'folder') return this.#createFolder(segments, 1);
    if (segments.length === 0) throw archiveError(t('{0} is not a file name', quote(entry.name)));
    this.meter.entries(1);
    await this.#createFolder(segments.slice(0, -1));
    if (entry.type === 'symlink') this.#symlinks.push({ name: entry.name, segments, target: entry.target });
    else if (entry.type === 'link') await this.#copy(segments, entry.target);
    else await this.#write(entry.name, segments, entry.isExecutable, entry.content);
  }

  /**
   * Creates the links.
   * @throws ParleyError when a link leaves the folder or has no target
   */
  async finish(): Promise<void> {
    for (const { name, segments, target } of this.#symlinks) {
      const found = safeLinkTarget(segments, target, this.#isWindows);
      if (!found) throw archiveError(t('the link {0} points outside the archive ({1})', quote(name), quote(target)));
      const path = this.#path(segments);
      await this.#throwUnlessFree(name, segments);
      await symlink(relative(join(path, '..'), this.#path(found)) || '.', path);
    }
    const root = await realpath(this.root);
    for (const { name, segments } of this.#symlinks) {
      const real = await realpath(this.#path(segments)).catch(() => undefined);
      if (real !== root && !real?.startsWith(root + sep))
        throw archiveError(t('the link {0} has no target, or points outside the archive', quote(name)));
    }
  }

  /** With the folders around it, which are counted before. */
  async #createFolder(segments: readonly string[], least = 0): Promise<void> {
    const known = this.#folders.size;
    for (let depth = 1; depth <= segments.length; depth += 1) this.#folders.add(segments.slice(0, depth).join('/'));
    this.meter.entries(Math.max(least, this.#folders.size - known));
    await mkdir(this.#path(segments), { recursive: true });
  }

  async #write(
    name: string,
    segments: readonly string[],
    isExecutable: boolean,
    content: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const metered = async function* (meter: SizeMeter): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        meter.bytes(chunk.length);
        yield chunk;
      }
    };
    // `wx`: an existing name (a duplicate, or one that differs in case) is an error and never overwritten.
    const file = createWriteStream(this.#path(segments), { flags: 'wx', mode: isExecutable ? 0o755 : 0o644 });
    try {
      await pipeline(Readable.from(metered(this.meter), { objectMode: true }), file);
    } catch (error) {
      if (systemErrorCode(error) === 'EEXIST') throw archiveError(t('it contains {0} twice', quote(name)), error);
      throw error;
    }
  }

  async #copy(segments: readonly string[], target: string): Promise<void> {
    const from = this.#path(this.#segments(target));
    const found = await lstat(from).catch(() => undefined);
    if (!found?.isFile())
      throw archiveError(t('the link {0} does not point to an earlier file', quote(segments.join('/'))));
    this.meter.bytes(found.size);
    await this.#throwUnlessFree(segments.join('/'), segments);
    await copyFile(from, this.#path(segments));
  }

  /** Refuses to create a link inside a linked folder, or in place of another entry. */
  async #throwUnlessFree(name: string, segments: readonly string[]): Promise<void> {
    for (let depth = 1; depth < segments.length; depth += 1) {
      const found = await lstat(this.#path(segments.slice(0, depth)));
      if (!found.isDirectory()) throw archiveError(t('{0} is inside a linked folder', quote(name)));
    }
    const there = await readlink(this.#path(segments)).catch(systemErrorCode);
    if (there !== 'ENOENT') throw archiveError(t('it contains {0} twice', quote(name)));
  }

  #segments(name: string): readonly string[] {
    const segments = safeArchiveSegments(name, this.#isWindows);
    if ('problem' in segments) throw archiveError(t('{0} was rejected: {1}', quote(name), segments.problem));
    return segments;
  }

  #path(segments: readonly string[]): string {
    return join(this.root, ...segments);
  }
}

function quote(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
