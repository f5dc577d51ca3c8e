import { readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from './atomicWrite';
import type { Mutex } from './fileMutex';
import { fileMutex } from './fileMutex';

/** Milliseconds that a window waits for another one which writes the file; after that it hangs. */
const PATIENCE = 2_000;

/** A small JSON file that several windows change: each makes its changes to what is there at that moment, one window after the other. */
export class SharedJsonFile {
  readonly #file: string;
  readonly #inTurn: Mutex;

  /** @param file absolute; made when it is first needed */
  constructor(file: string) {
    this.#file = file;
    this.#inTurn = fileMutex(dirname(file), PATIENCE);
  }

  /**
   * Undefined when there is none.
   * @throws SyntaxError when it is damaged, or why it cannot be read
   */
  async read(): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#file, 'utf8'));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  /**
   * One that is damaged is put aside. What cannot be read is not overwritten.
   * @param make from what is there, which is undefined when nothing is
   * @throws why it could not be read or written
   */
  async change(make: (there: unknown) => unknown): Promise<void> {
    await this.#inTurn(this.#file, async () => {
      const there = await this.read().catch((error: unknown) => this.#putAside(error));
      await writeFileAtomic(this.#file, JSON.stringify(make(there)));
    });
  }

  async #putAside(error: unknown): Promise<undefined> {
    if (!(error instanceof SyntaxError)) throw error;
    await rename(this.#file, `${this.#file}.damaged`);
  }
}
