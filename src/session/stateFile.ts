import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SerialQueue } from '../base/async';
import { messageOf } from '../base/errors';
import { asObject } from '../base/json';
import type { Log } from '../base/log';

/**
 * Small values of a workspace, in a file of our own: VS Code keeps its memory for extensions in the window for seconds before it is written,
 * and what was being written just before a window was reloaded or crashed would be gone.
 */
export class StateFile {
  readonly #file: string;
  readonly #log: Pick<Log, 'warn'>;
  readonly #values: Map<string, unknown>;
  readonly #queue = new SerialQueue();
  #isWaiting = false;

  private constructor(file: string, log: Pick<Log, 'warn'>, values: Readonly<Record<string, unknown>>) {
    this.#file = file;
    this.#log = log;
    this.#values = new Map(Object.entries(values));
  }

  /** @param file absolute; made when it is first needed. One that cannot be read counts as empty. */
  static async open(file: string, log: Pick<Log, 'warn'>): Promise<StateFile> {
    const text = await readFile(file, 'utf8').catch(() => '{}');
    try {
      return new StateFile(file, log, asObject(JSON.parse(text)) ?? {});
    } catch (error) {
      log.warn('session', `${file} is damaged and is begun anew: ${messageOf(error)}`);
      return new StateFile(file, log, {});
    }
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  /** Settles when it is written; never rejects. Values that follow each other quickly are written once. */
  async update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, value);
    if (this.#isWaiting) return this.#queue.idle();
    this.#isWaiting = true;
    await this.#queue.run(() => this.#write());
  }

  async flush(): Promise<void> {
    await this.#queue.idle();
  }

  /** The old file or the new one, never half of one. */
  async #write(): Promise<void> {
    this.#isWaiting = false;
    try {
      await mkdir(dirname(this.#file), { recursive: true });
      await writeFile(`${this.#file}.new`, JSON.stringify(Object.fromEntries(this.#values)));
      await rename(`${this.#file}.new`, this.#file);
    } catch (error) {
      this.#log.warn('session', `${this.#file} could not be written: ${messageOf(error)}`);
    }
  }
}
