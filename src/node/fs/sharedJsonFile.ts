import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from './atomicWrite';
import type { Mutex } from './fileMutex';
import { fileMutex } from './fileMutex';
import { readIfThere } from './readIfThere';

/** Milliseconds to wait for another window that writes the file; later that window counts as hanging. */
const LOCK_TIMEOUT_MS = 2_000;

/**
 * A small JSON file that several windows change: each window applies its changes to the current content, one window
 * after the other.
 */
export class SharedJsonFile {
  readonly #file: string;
  readonly #inTurn: Mutex;

  /** @param file absolute; created on first use */
  constructor(file: string) {
    this.#file = file;
    this.#inTurn = fileMutex(dirname(file), LOCK_TIMEOUT_MS);
  }

  /**
   * Undefined when the file is missing.
   * @throws SyntaxError when it is damaged
   * @throws system errors when it cannot be read
   */
  async read(): Promise<unknown> {
    const bytes = await readIfThere(this.#file);
    return bytes && JSON.parse(bytes.toString());
  }

  /**
   * A damaged file is moved aside; an unreadable file is never overwritten.
   * @param make new content from the current one, which is undefined for a missing file
   * @throws system errors of reading or writing
   */
  async change(make: (there: unknown) => unknown): Promise<void> {
    await this.#inTurn(this.#file, async () => {
      const there = await this.read().catch((error: unknown) => this.#moveAside(error));
      await writeFileAtomic(this.#file, JSON.stringify(make(there)));
    });
  }

  async #moveAside(error: unknown): Promise<undefined> {
    if (!(error instanceof SyntaxError)) throw error;
    await rename(this.#file, `${this.#file}.damaged`);
  }
}
