import { dirname } from 'node:path';
import { SerialQueue } from '../../base/async';
import { DelayedCall } from '../../base/clock';
import { FailureStreak, errorMessage } from '../../base/errors';
import { asObject, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import type { Mutex } from '../../node/fs/fileMutex';
import { fileMutex } from '../../node/fs/fileMutex';
import { readIfThere } from '../../node/fs/readIfThere';
import { identityOf, readStoredFile, reportDataLoss } from '../../node/fs/storedFile';
import type { BlobStore } from '../storage/blobStore';
import { bytesOf } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import { isUnchangedFile } from './fileAttribution';
import type { AttributedChange, ModifiedFiles, ReviewProblem } from './modifiedFiles';
import { REVIEW_VERSION } from './modifiedFiles';
import type { SessionShares } from './sessionShares';
import { contentKey } from './turnChanges';

/** Milliseconds for which changes are merged into one write. */
const MERGE_MS = 300;

/** Milliseconds to wait for another window that writes the review; later that window counts as hanging. */
const LOCK_TIMEOUT_MS = 2_000;

/**
 * The changes under review, on disk for the next window. Another window may have the same folder open and use the same file: each write
 * keeps what others have written of files that this window has never had under review.
 */
export class ReviewFile {
  readonly #writing = new SerialQueue();
  readonly #scheduledWrite = new DelayedCall(MERGE_MS, () => void this.write());
  readonly #failures: FailureStreak;
  #isKept = false;
  /** Paths of all files that this window has read, or has had under review. */
  readonly #own = new Set<string>();
  /** Those of other windows, which are in `ModifiedFiles.unread`. */
  #others: readonly string[] = [];
  /** Identifies the file that this window has read or written last. */
  #known: string | undefined;
  readonly #inTurn: Mutex;
  #recorded: ReadonlyMap<string, string | null> = new Map();

  /**
   * @param file absolute; undefined keeps nothing over a reload
   * @param onFail called when writing begins to fail
   */
  constructor(
    private readonly file: string | undefined,
    private readonly modifiedFiles: ModifiedFiles,
    private readonly blobs: BlobStore,
    private readonly log: Logger,
    onFail?: (cause: string) => void,
  ) {
    this.#failures = new FailureStreak(onFail);
    this.#inTurn = fileMutex(dirname(file ?? ''), LOCK_TIMEOUT_MS);
  }

  /** The file, of a newer version of Parley or unreadable, stays as it is, with everything it needs. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** What the last window had recorded: see `RecordedContents`. */
  get recorded(): ReadonlyMap<string, string | null> {
    return this.#recorded;
  }

  /**
   * Adds the changes of the last window.
   * @returns files that cannot be read now; they stay stored
   * @throws system errors when nothing can be read
   */
  async load(newer: string): Promise<readonly ReviewProblem[]> {
    const file = this.file;
    if (file === undefined) return [];
    // Nothing is written before the changes are read: it would replace them.
    this.#isKept = true;
    this.#known = await identityOf(file);
    const { filesIn, readModifiedFiles, recordedContents, reviewText } = await import('./storedReview');
    const text = await readStoredFile(file, (bytes) => reviewText(bytes.toString()), t('the changes under review'));
    const stored = text === undefined ? undefined : await readModifiedFiles(text, this.blobs);
    this.#isKept = text !== undefined && !stored;
    if (this.#isKept) this.log.warn('review', `Ignored the changes in ${file}, which ${newer}`);
    for (const path of stored?.lost ?? []) {
      this.log.warn('review', `Stopped the review of ${path}: its baseline is missing`);
      reportDataLoss(file, t('the changes of {0}', path));
    }
    for (const [path, item] of stored?.items ?? []) this.modifiedFiles.set(path, item);
    for (const [path, { value }] of stored?.unread ?? []) this.modifiedFiles.unread.set(path, value);
    for (const path of Object.keys(filesIn(text ?? ''))) this.#own.add(path);
    this.#recorded = recordedContents(text ?? '', this.modifiedFiles);
    return Array.from(stored?.unread ?? [], ([path, { message }]) => ({ path, message }));
  }

  /** Writes soon. */
  save(): void {
    this.#scheduledWrite.schedule();
  }

  /** Writes now. Never rejects. */
  async write(): Promise<void> {
    const file = this.file;
    this.stop();
    if (file === undefined || this.#isKept) return;
    await this.#writing.run(async () => {
      try {
        await this.#inTurn(file, async () => {
          await this.#addOthers(file);
          await writeFileAtomic(file, await writeModifiedFiles(this.modifiedFiles, this.blobs));
          this.#known = await identityOf(file);
        });
        this.#failures.end();
      } catch (error) {
        this.log.error('review', `Failed to save the review: ${errorMessage(error)}`);
        this.#failures.add(error);
      }
    });
  }

  /** The review on disk; empty where there is none. */
  async stored(): Promise<string> {
    const bytes = this.file === undefined ? undefined : await readIfThere(this.file).catch(() => undefined);
    return bytes?.toString() ?? '';
  }

  async #addOthers(file: string): Promise<void> {
    const { unread } = this.modifiedFiles;
    for (const path of this.modifiedFiles.paths()) this.#own.add(path);
    const there = await identityOf(file);
    if (there === undefined || there === this.#known) return;
    const { filesIn } = await import('./storedReview');
    const others = Object.entries(filesIn(await this.stored())).filter(([path]) => !this.#own.has(path));
    for (const path of this.#others) unread.delete(path);
    for (const [path, value] of others) unread.set(path, asObject(value) ?? {});
    this.#others = others.map(([path]) => path);
  }

  /** Cancels what {@link save} has planned. */
  stop(): void {
    this.#scheduledWrite.cancel();
  }
}

/** The review on disk: JSON with file contents as blobs. */

/** Serializes the review and stores contents in `blobs`. */
export async function writeModifiedFiles(modifiedFiles: ModifiedFiles, blobs: BlobStore): Promise<string> {
  const files: Record<string, unknown> = Object.fromEntries(modifiedFiles.unread);
  const tracked: Record<string, string | null> = {};
  for (const path of modifiedFiles.paths()) {
    const item = modifiedFiles.get(path);
    if (!item) continue;
    if (isUnchangedFile(item.attribution) && !item.overwritten && !item.withdrawn) {
      tracked[path] = contentKey(item.disk) ?? null;
      continue;
    }
    const { sessions, withdrawn, shares } = item;
    files[path] = {
      ...(await writeAttribution(item, blobs)),
      disk: await writeContentRef(item.disk, blobs),
      ...(item.overwritten && {
        beneath: await writeContentRef(item.overwritten.content, blobs),
        previous: await writeContentRef(item.overwritten.previous, blobs),
      }),
      sessions,
      ...(shares && { shares: await writeShares(shares, blobs) }),
      ...(withdrawn && { withdrawn: await writeAttribution(withdrawn, blobs) }),
    };
  }
  return JSON.stringify({ parley: REVIEW_VERSION, files, ...(Object.keys(tracked).length > 0 && { tracked }) });
}

async function writeAttribution({ attribution, isUnsure }: AttributedChange, blobs: BlobStore): Promise<object> {
  return {
    base: await writeContentRef(attribution.base, blobs),
    text: await writeContentRef(attribution.text, blobs),
    personal: attribution.userLines,
    touched: attribution.isReplacedByUser,
    ...(isUnsure && { unsure: true }),
  };
}

/** The text of all shares is the file's. */
async function writeShares(shares: SessionShares, blobs: BlobStore): Promise<readonly object[]> {
  return Promise.all(
    Array.from(shares, async ([session, { base, userLines, isReplacedByUser }]) => ({
      session,
      base: await writeContentRef(base, blobs),
      personal: userLines,
      touched: isReplacedByUser,
    })),
  );
}

/** Null for a missing file. */
export async function writeContentRef(content: FileContent | undefined, blobs: BlobStore): Promise<unknown> {
  if (!content) return null;
  const { mode, permissions } = content;
  return { mode, ...omitUndefined({ permissions }), blob: await blobs.put(bytesOf(content)) };
}
