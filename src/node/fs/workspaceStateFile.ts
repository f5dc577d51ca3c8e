import { SerialQueue } from '../../base/async';
import { FailureStreak, errorMessage } from '../../base/errors';
import { asObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { SharedJsonFile } from './sharedJsonFile';

/**
 * Small values of a workspace, in a file of our own: VS Code buffers mementos for seconds, so that values written just
 * before a reload or crash would be lost. Windows without a folder share one file: each applies its own changes to the
 * current content. Failed writes are retried with the next change, and by {@link WorkspaceStateFile.flush}.
 */
export class WorkspaceStateFile {
  readonly #file: SharedJsonFile<JsonObject>;
  readonly #name: string;
  readonly #log: Logger;
  readonly #values: Map<string, unknown>;
  readonly #queue = new SerialQueue();
  /** Keys changed here and not written yet. */
  readonly #unwritten = new Set<string>();
  readonly #failures: FailureStreak;
  #isWaiting = false;

  private constructor(
    file: string,
    stored: SharedJsonFile<JsonObject>,
    log: Logger,
    onFail: ((cause: string) => void) | undefined,
    values: Readonly<Record<string, unknown>>,
  ) {
    this.#file = stored;
    this.#name = file;
    this.#log = log;
    this.#failures = new FailureStreak(onFail);
    this.#values = new Map(Object.entries(values));
  }

  /**
   * @param file absolute; created on first use. A damaged or unreadable file counts as empty; see {@link
   * SharedJsonFile}.
   * @param onFail called when writing begins to fail, with the cause
   */
  static async open(file: string, log: Logger, onFail?: (cause: string) => void): Promise<WorkspaceStateFile> {
    const stored = new SharedJsonFile(file, asObject, t('drafts, rules and open chats of this workspace'));
    try {
      return new WorkspaceStateFile(file, stored, log, onFail, (await stored.read()) ?? {});
    } catch (error) {
      log.warn('session', `Ignored the unreadable file ${file}: ${errorMessage(error)}`);
      return new WorkspaceStateFile(file, stored, log, onFail, {});
    }
  }

  keys(): readonly string[] {
    return Array.from(this.#values.keys());
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  /** Settles when the value is written; never rejects. Undefined deletes the key. Rapid changes are written once. */
  async update(key: string, value: unknown): Promise<void> {
    set(this.#values, key, value);
    this.#unwritten.add(key);
    if (this.#isWaiting) return this.#queue.idle();
    this.#isWaiting = true;
    await this.#queue.run(() => this.#write());
  }

  async flush(): Promise<void> {
    await this.#queue.idle();
    await this.#queue.run(() => this.#write());
  }

  async #write(): Promise<void> {
    this.#isWaiting = false;
    const changed = Array.from(this.#unwritten);
    if (changed.length === 0) return;
    this.#unwritten.clear();
    try {
      await this.#file.change((there) => {
        // A damaged or deleted file is recreated from the values in memory.
        const values = new Map(Object.entries(there ?? Object.fromEntries(this.#values)));
        for (const key of changed) set(values, key, this.#values.get(key));
        return Object.fromEntries(values);
      });
      this.#failures.end();
    } catch (error) {
      for (const key of changed) this.#unwritten.add(key);
      this.#log.warn('session', `Failed to write ${this.#name}: ${errorMessage(error)}`);
      this.#failures.add(error);
    }
  }
}

function set(values: Map<string, unknown>, key: string, value: unknown): void {
  if (value === undefined) values.delete(key);
  else values.set(key, value);
}
