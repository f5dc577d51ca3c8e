import { readFile } from 'node:fs/promises';
import { SerialQueue } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import type { BlobStore } from '../checkpoints/blobStore';
import type { ModifiedFiles } from './modifiedFiles';
import { isNewerReview, readModifiedFiles, writeModifiedFiles } from './modifiedFilesStorage';

/** Milliseconds for which changes are merged into one write. */
const MERGE_MS = 300;

interface ReviewFileOptions {
  /** Absolute; undefined keeps nothing over a reload. */
  readonly file: string | undefined;
  readonly ledger: ModifiedFiles;
  readonly blobs: BlobStore;
  readonly log: Logger;
}

/** The changes under review, on disk for the next window. */
export class ReviewFile {
  readonly #options: ReviewFileOptions;
  readonly #writing = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;
  #isNewer = false;

  constructor(options: ReviewFileOptions) {
    this.#options = options;
  }

  /** A newer version of Parley wrote the file, which stays as it is. */
  get isNewer(): boolean {
    return this.#isNewer;
  }

  /** Adds the changes of the last window. */
  async load(newer: string): Promise<void> {
    const { file, ledger, blobs, log } = this.#options;
    if (file === undefined) return;
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const kept = text === undefined ? undefined : await readModifiedFiles(text, blobs);
    this.#isNewer = text !== undefined && isNewerReview(text);
    const why = this.#isNewer ? newer : 'cannot be read';
    if (text !== undefined && !kept) log.warn('app', `The changes in ${file} ${why}`);
    for (const path of kept?.lost ?? []) log.warn('app', `Stopped the review of ${path}: its baseline is missing`);
    for (const [path, item] of kept?.items ?? []) ledger.set(path, item);
  }

  /** Writes soon. */
  save(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.write();
    }, MERGE_MS);
  }

  /** Writes now. Never rejects. */
  async write(): Promise<void> {
    const { file, ledger, blobs, log } = this.#options;
    this.stop();
    if (file === undefined || this.#isNewer) return;
    await this.#writing.run(async () => {
      try {
        await writeFileAtomic(file, await writeModifiedFiles(ledger, blobs));
      } catch (error) {
        log.error('app', `Failed to save the review: ${errorMessage(error)}`);
      }
    });
  }

  /** Cancels what {@link save} has planned. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
