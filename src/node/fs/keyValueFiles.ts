import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SerialQueue } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { makePrivateFolder, PRIVATE_FILE } from './privateFiles';

/** Milliseconds. */
const DAY = 86_400_000;
/**
 * Milliseconds after which what nobody has used is forgotten: servers that are gone from all settings and folders. Long, since whoever
 * takes an entry away and puts it back must not get rid of its pins so, and nobody knows which folders are opened again.
 */
const UNUSED = 180 * DAY;

/** What is remembered by a key; to be loaded before it is read. */
export interface KeyValueStore {
  /** Brings what is kept under a key into memory. Never rejects: what cannot be read is as if it were not there. */
  load(key: string): Promise<void>;
  /** Undefined for what is not kept, or was not loaded. */
  get(key: string): unknown;
  /**
   * In memory at once. Never rejects: a failure costs what a restart would have known.
   * @param value undefined forgets it
   */
  update(key: string, value: unknown): Promise<void>;
}

/**
 * Values of any size that outlive the window, one file each: lists of tools are too long for the editor's own memory, which is read whole
 * with every start.
 */
export class KeyValueFiles implements KeyValueStore {
  readonly #folder: string;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #values = new Map<string, unknown>();
  readonly #queue = new SerialQueue();
  /** Keys whose newest value is still on its way to its file. */
  readonly #unwritten = new Map<string, number>();
  readonly #now: () => number;
  #pruned: Promise<void> | undefined;

  /**
   * @param folder absolute; made when it is first needed
   * @param now milliseconds since 1970
   */
  constructor(folder: string, log: Pick<Logger, 'warn'>, now: () => number = Date.now) {
    this.#folder = folder;
    this.#log = log;
    this.#now = now;
  }

  /** Another window may have written since the last time. */
  async load(key: string): Promise<void> {
    if (this.#unwritten.has(key)) return;
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
    await this.#queue.run(() => this.#write(key, value));
    const left = (this.#unwritten.get(key) ?? 1) - 1;
    if (left === 0) this.#unwritten.delete(key);
    else this.#unwritten.set(key, left);
  }

  #put(key: string, value: unknown): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
  }

  async #read(key: string): Promise<unknown> {
    try {
      const file = this.#file(key);
      const value: unknown = JSON.parse(await readFile(file, 'utf8'));
      // What was read counts whatever becomes of its time: pins that count as missing let a changed tool in.
      await this.#use(file).catch(() => undefined);
      return value;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#log.warn('mcp', `What was kept of a server cannot be read: ${errorMessage(error)}`);
      return undefined;
    }
  }

  /** Its time says when it was used last, to the day. */
  async #use(file: string): Promise<void> {
    const now = this.#now();
    const { mtimeMs } = await stat(file);
    if (now - mtimeMs > DAY) await utimes(file, now / 1000, now / 1000);
  }

  /** Never rejects. */
  async #prune(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      const file = join(this.#folder, name);
      // The others were left behind by a window that was ended in the middle of something.
      const limit = name.endsWith('.json') ? UNUSED : DAY;
      // oxlint-disable-next-line no-await-in-loop -- there is time: one after the other
      const found = await stat(file).catch(() => undefined);
      // oxlint-disable-next-line no-await-in-loop
      if (found && this.#now() - found.mtimeMs > limit) await rm(file, { force: true }).catch(() => undefined);
    }
  }

  /** In one step, so that another window never reads half of it. */
  async #write(key: string, value: unknown): Promise<void> {
    const file = this.#file(key);
    try {
      if (value === undefined) {
        await rm(file, { force: true });
        return;
      }
      await makePrivateFolder(this.#folder);
      const draft = `${file}.${process.pid}`;
      await writeFile(draft, JSON.stringify(value), { mode: PRIVATE_FILE });
      await rename(draft, file);
    } catch (error) {
      this.#log.warn('mcp', `What is known of a server cannot be kept: ${errorMessage(error)}`);
    }
  }

  #file(key: string): string {
    return join(this.#folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  }
}
