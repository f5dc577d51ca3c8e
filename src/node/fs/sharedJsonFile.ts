import { dirname } from 'node:path';
import { writeFileAtomic } from './atomicWrite';
import type { Mutex } from './fileMutex';
import { fileMutex } from './fileMutex';
import { readStoredJson } from './storedFile';

/** Milliseconds to wait for another window that writes the file; later that window counts as hanging. */
const LOCK_TIMEOUT_MS = 2_000;

/**
 * A small JSON file that several windows change: each window applies its changes to the current content, one window
 * after the other. A damaged file is moved aside. What it held since this window read it comes from memory, as after its deletion. An
 * unreadable file is never overwritten.
 */
export class SharedJsonFile<T> {
  #last: T | undefined;
  readonly #inTurn: Mutex;

  /**
   * @param file absolute; created on first use
   * @param parse undefined when the content is damaged
   * @param lost names the data for the user, who is told when the file is damaged
   */
  constructor(
    private readonly file: string,
    private readonly parse: (json: unknown) => T | undefined,
    private readonly lost: string,
  ) {
    this.#inTurn = fileMutex(dirname(file), LOCK_TIMEOUT_MS);
  }

  /**
   * Undefined when the file was missing or damaged from the beginning.
   * @throws system errors when it cannot be read
   */
  async read(): Promise<T | undefined> {
    const lost = this.#last === undefined ? this.lost : undefined;
    return (this.#last = (await readStoredJson(this.file, this.parse, lost)) ?? this.#last);
  }

  /**
   * @param make new content from the current one: see {@link read}
   * @throws system errors of reading or writing
   */
  async change(make: (there: T | undefined) => T): Promise<void> {
    await this.#inTurn(this.file, async () => {
      const content = make(await this.read());
      await writeFileAtomic(this.file, JSON.stringify(content));
      this.#last = content;
    });
  }
}
