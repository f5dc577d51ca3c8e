import { createHash } from 'node:crypto';
import { lstat, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import { makePrivateFolder } from '../../node/fs/privateFiles';
import { readIfThere } from '../../node/fs/readIfThere';

const HOUR_MS = 3_600_000;
const ID = /^[0-9a-f]{64}$/;

/** Content-addressed store of exact file copies for reviews and checkpoints. */
export class BlobStore {
  readonly #folder: string;
  readonly #stored = new Set<string>();

  /** @param folder absolute; created when needed */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns the copy's id */
  async put(bytes: Uint8Array): Promise<string> {
    const id = createHash('sha256').update(bytes).digest('hex');
    if (this.#stored.has(id)) return id;
    const path = this.#path(id);
    if (!(await stat(path).catch(() => undefined))) {
      await makePrivateFolder(this.#folder);
      await writeFileAtomic(path, bytes);
    }
    this.#stored.add(id);
    return id;
  }

  /**
   * Undefined when it is missing or damaged.
   * @throws system errors when it cannot be read now
   */
  async get(id: string): Promise<Buffer | undefined> {
    // A damaged list may name anything.
    if (!ID.test(id)) return undefined;
    const bytes = await readIfThere(this.#path(id));
    return bytes && createHash('sha256').update(bytes).digest('hex') === id ? bytes : undefined;
  }

  /** Bytes on disk. */
  size(): Promise<number> {
    return folderSize(this.#folder);
  }

  /** Deletes unneeded blobs that are older than an hour; younger ones may be about to be referenced. */
  async retain(needed: ReadonlySet<string>): Promise<void> {
    for (const part of await readdir(this.#folder).catch(() => [])) {
      for (const id of await readdir(join(this.#folder, part)).catch(() => [])) {
        const path = join(this.#folder, part, id);
        const info = await stat(path).catch(() => undefined);
        if (!info || needed.has(id) || Date.now() - info.mtimeMs < HOUR_MS) continue;
        await unlink(path).catch(() => undefined);
      }
    }
    this.#stored.clear();
  }

  #path(id: string): string {
    return join(this.#folder, id.slice(0, 2), id);
  }
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
