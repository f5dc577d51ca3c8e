import { createHash } from 'node:crypto';
import { lstat, readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../base/clock';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import { DAMAGED } from '../../node/fs/moveAside';
import { makePrivateFolder } from '../../node/fs/privateFiles';
import { readStoredFile } from '../../node/fs/storedFile';

const HOUR_MS = 3_600_000;
const MAX_DAMAGED_AGE_MS = 30 * 24 * HOUR_MS;
const ID = /^[0-9a-f]{64}$/;

/** Content-addressed store of exact file copies for reviews and checkpoints. */
export class BlobStore {
  /** What this window stored or found whole: when, in milliseconds of the monotonic clock, and the time of the file. */
  readonly #stored = new Map<string, { readonly at: number; readonly mtimeMs: number }>();

  /** @param folder absolute; created when needed */
  constructor(
    private readonly folder: string,
    private readonly elapsed = (): number => systemClock.elapsed(),
  ) {}

  /** @returns the copy's id */
  async put(bytes: Uint8Array): Promise<string> {
    const id = createHash('sha256').update(bytes).digest('hex');
    const path = this.#path(id);
    const found = await stat(path).catch(() => undefined);
    let { mtimeMs = 0 } = found ?? {};
    // Another program may have damaged an earlier copy.
    const isKnown = found?.size === bytes.length && this.#stored.get(id)?.mtimeMs === mtimeMs;
    if (!isKnown && (!found?.isFile() || !isCopy(await readFile(path).catch(() => undefined), id))) {
      await makePrivateFolder(this.folder);
      await writeFileAtomic(path, bytes);
      ({ mtimeMs } = await stat(path));
    }
    this.#stored.set(id, { at: this.elapsed(), mtimeMs });
    return id;
  }

  /**
   * Undefined when it is missing or damaged. A damaged copy is moved aside.
   * @throws system errors when it cannot be read now
   */
  async get(id: string): Promise<Buffer | undefined> {
    // A damaged list may name anything.
    if (!ID.test(id)) return undefined;
    return readStoredFile(this.#path(id), (bytes) => (isCopy(bytes, id) ? bytes : undefined), undefined);
  }

  /** Bytes on disk. */
  size(): Promise<number> {
    return folderSize(this.folder);
  }

  /**
   * Deletes unneeded blobs that are older than an hour, also if the computer's clock was set since; younger ones may be
   * about to be referenced. Damaged ones stay a month.
   */
  async retain(needed: ReadonlySet<string>): Promise<void> {
    for (const part of await readdir(this.folder).catch(() => [])) {
      for (const id of await readdir(join(this.folder, part)).catch(() => [])) {
        const path = join(this.folder, part, id);
        const info = await stat(path).catch(() => undefined);
        const storedAt = this.#stored.get(id)?.at ?? -Infinity;
        const limit = id.endsWith(DAMAGED) ? MAX_DAMAGED_AGE_MS : HOUR_MS;
        if (!info || needed.has(id) || Date.now() - info.mtimeMs < limit) continue;
        if (this.elapsed() - storedAt < HOUR_MS) continue;
        this.#stored.delete(id);
        await rm(path, { recursive: true, force: true }).catch(() => undefined);
      }
    }
  }

  #path(id: string): string {
    return join(this.folder, id.slice(0, 2), id);
  }
}

function isCopy(bytes: Buffer | undefined, id: string): boolean {
  return bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === id;
}

/** Bytes, recursively. */
export async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return folderSize(path);
    return (await lstat(path).catch(() => undefined))?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
