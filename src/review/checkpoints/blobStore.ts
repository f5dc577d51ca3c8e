import { createHash } from 'node:crypto';
import { lstat, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../base/clock';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import { makePrivateFolder } from '../../node/fs/privateFiles';
import { readIfThere } from '../../node/fs/readIfThere';

const HOUR_MS = 3_600_000;
const ID = /^[0-9a-f]{64}$/;

/** Content-addressed store of exact file copies for reviews and checkpoints. */
export class BlobStore {
  readonly #folder: string;
  /** When this window stored them, in milliseconds of the monotonic clock. */
  readonly #stored = new Map<string, number>();
  readonly #elapsed: () => number;

  /** @param folder absolute; created when needed */
  constructor(folder: string, elapsed = (): number => systemClock.elapsed()) {
    this.#folder = folder;
    this.#elapsed = elapsed;
  }

  /** @returns the copy's id */
  async put(bytes: Uint8Array): Promise<string> {
    const id = createHash('sha256').update(bytes).digest('hex');
    const path = this.#path(id);
    if (!this.#stored.has(id) && !(await stat(path).catch(() => undefined))) {
      await makePrivateFolder(this.#folder);
      await writeFileAtomic(path, bytes);
    }
    this.#stored.set(id, this.#elapsed());
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

  /**
   * Deletes unneeded blobs that are older than an hour, also if the computer's clock was set since; younger ones may be
   * about to be referenced.
   */
  async retain(needed: ReadonlySet<string>): Promise<void> {
    for (const part of await readdir(this.#folder).catch(() => [])) {
      for (const id of await readdir(join(this.#folder, part)).catch(() => [])) {
        const path = join(this.#folder, part, id);
        const info = await stat(path).catch(() => undefined);
        const storedAt = this.#stored.get(id) ?? -Infinity;
        if (!info || needed.has(id) || Date.now() - info.mtimeMs < HOUR_MS) continue;
        if (this.#elapsed() - storedAt < HOUR_MS) continue;
        this.#stored.delete(id);
        await unlink(path).catch(() => undefined);
      }
    }
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
