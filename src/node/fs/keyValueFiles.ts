import { createHash } from 'node:crypto';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { SerialQueue } from '../../base/async';
import { systemClock } from '../../base/clock';
import { FailureStreak, errorMessage } from '../../base/errors';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { writeFileAtomic } from './atomicWrite';
import { undamagedName } from './moveAside';
import { isThere } from './readIfThere';
import { StoreClock, isExpired } from './storeClock';
import { readStoredJson, reportUnsaved } from './storedFile';

/** In milliseconds. */
const DAY_MS = 86_400_000;
/**
 * Milliseconds after which unused values are deleted, such as those of servers removed from all settings and folders.
 * Long, because removing and restoring an entry must not reset its pins, and folders may be reopened late.
 */
const MAX_UNUSED_MS = 180 * DAY_MS;

/** Values by key; a key must be loaded before it is read. */
export interface KeyValueStore {
  /**
   * Loads the value of a key into memory.
   * @throws system errors when it cannot be read now; it may be there
   */
  load(key: string): Promise<void>;
  /** Undefined for keys that have no value or were not loaded; null for a damaged value. */
  get(key: string): unknown;
  /**
   * Updates memory at once. Never rejects: after a failure, which is reported, the value is written again when it is next loaded.
   * @param value undefined deletes the key
   */
  update(key: string, value: unknown): Promise<void>;
}

interface StoredFile {
  readonly file: string;
  /** Of the last use, in milliseconds since 1970. */
  readonly at: number;
  readonly isValue: boolean;
}

/**
 * Values of any size that outlive the window, one file each: lists of tools are too long for VS Code's memento, which
 * is read completely at each start.
 */
export class KeyValueFiles implements KeyValueStore {
  readonly #values = new Map<string, unknown>();
  readonly #queue = new SerialQueue();
  /** Keys whose newest value is still being written. */
  readonly #unwritten = new Map<string, number>();
  /** Keys whose newest value could not be written. */
  readonly #failed = new Set<string>();
  readonly #failures: FailureStreak;
  #pruned: Promise<void> | undefined;

  /**
   * @param folder absolute; created on first use
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly folder: string,
    private readonly log: Logger,
    private readonly now: () => number = Date.now,
  ) {
    this.#failures = new FailureStreak((error) =>
      reportUnsaved(folder, t('what you accepted of an MCP server'), error),
    );
  }

  /** Another window may have written since the last load. */
  async load(key: string): Promise<void> {
    if (this.#unwritten.has(key)) return;
    // The file is older, and for a missing one a changed tool would be a first contact.
    if (this.#failed.has(key)) return this.update(key, this.get(key));
    await (this.#pruned ??= this.#prune());
    const value = await this.#read(key);
    if (!this.#unwritten.has(key)) this.#put(key, value);
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  async update(key: string, value: unknown): Promise<void> {
    this.#put(key, value);
    this.#unwritten.set(key, (this.#unwritten.get(key) ?? 0) + 1);
    const isWritten = await this.#queue.run(() => this.#write(key, value));
    if (isWritten) this.#failed.delete(key);
    else this.#failed.add(key);
    const left = (this.#unwritten.get(key) ?? 1) - 1;
    if (left === 0) this.#unwritten.delete(key);
    else this.#unwritten.set(key, left);
  }

  #put(key: string, value: unknown): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
  }

  /** Distinguishes absent from unreadable and damaged: absent pins would accept a changed tool. */
  async #read(key: string): Promise<unknown> {
    const file = this.#file(key);
    if (!(await isThere(file))) return undefined;
    const stored = await readStoredJson(file, parseValue, t('what you accepted of an MCP server'));
    // An absent value would mean that there never was one.
    if (!stored) await this.#write(key, null);
    // A failed timestamp update must not discard the value.
    await this.#touch(file).catch(() => undefined);
    return stored ? stored.value : null;
  }

  /** Stores the day of the last use as the file's modification time. */
  async #touch(file: string): Promise<void> {
    const now = this.now();
    const { mtimeMs } = await stat(file);
    if (now - mtimeMs > DAY_MS) await utimes(file, now / 1000, now / 1000);
  }

  /** Never rejects. */
  async #prune(): Promise<void> {
    const files = await this.#list();
    const storeClock = new StoreClock(`${this.folder}.seen.json`, { ...systemClock, now: this.now });
    const values = files.filter(({ isValue }) => isValue);
    const { now, waiting } = await storeClock.look(values, MAX_UNUSED_MS);
    if (waiting > 0) this.log.warn('mcp', `Kept stored data of ${waiting} servers for a day: the clock may be wrong`);
    for (const { file, at, isValue } of files)
      if (isExpired(at, now, isValue ? MAX_UNUSED_MS : DAY_MS)) await rm(file, { force: true }).catch(() => undefined);
  }

  /** Other files than values are leftovers of a window that ended during a write. */
  async #list(): Promise<readonly StoredFile[]> {
    const files: StoredFile[] = [];
    for (const name of await readdir(this.folder).catch(() => [])) {
      const file = join(this.folder, name);
      // One at a time: this is not urgent.
      const found = await stat(file).catch(() => undefined);
      if (found) files.push({ file, at: found.mtimeMs, isValue: undamagedName(name).endsWith('.json') });
    }
    return files;
  }

  /** Atomic, so that another window never reads an incomplete file. */
  async #write(key: string, value: unknown): Promise<boolean> {
    const file = this.#file(key);
    try {
      if (value === undefined) await rm(file, { force: true });
      else await writeFileAtomic(file, JSON.stringify(value));
      this.#failures.end();
      return true;
    } catch (error) {
      this.log.warn('mcp', `Failed to store the data of a server: ${errorMessage(error)}`);
      this.#failures.add(error);
      return false;
    }
  }

  #file(key: string): string {
    return join(this.folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  }
}

/** Undefined for damaged content. */
function parseValue(json: unknown): { readonly value: unknown } | undefined {
  return json === null || isObject(json) ? { value: json } : undefined;
}
