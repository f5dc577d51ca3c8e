import { SerialQueue } from '../../base/async';
import { DelayedCall } from '../../base/clock';
import { FailureStreak, errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import { readStoredFile, reportDataLoss } from '../../node/fs/storedFile';
import type { BlobStore } from '../checkpoints/blobStore';
import type { ModifiedFiles, ModifiedFile, ReviewProblem } from './modifiedFiles';
import { asArray, asNumber, asObject, asString, omitUndefined, parseJson } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { bytesOf, fileContentOf } from './fileContent';
import { isUnchangedFile } from './fileAttribution';
import { contentKey } from './turnChanges';
import type { FileContent } from './fileContent';

/** Milliseconds for which changes are merged into one write. */
const MERGE_MS = 300;

/** The changes under review, on disk for the next window. */
export class ReviewFile {
  readonly #file: string | undefined;
  readonly #modifiedFiles: ModifiedFiles;
  readonly #blobs: BlobStore;
  readonly #log: Logger;
  readonly #writing = new SerialQueue();
  readonly #scheduledWrite = new DelayedCall(MERGE_MS, () => void this.write());
  readonly #failures: FailureStreak;
  #isKept = false;
  #recorded: ReadonlyMap<string, string | null> = new Map();

  /**
   * @param file absolute; undefined keeps nothing over a reload
   * @param onFail called when writing begins to fail
   */
  constructor(
    file: string | undefined,
    modifiedFiles: ModifiedFiles,
    blobs: BlobStore,
    log: Logger,
    onFail?: (cause: string) => void,
  ) {
    this.#file = file;
    this.#modifiedFiles = modifiedFiles;
    this.#blobs = blobs;
    this.#log = log;
    this.#failures = new FailureStreak(onFail);
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
    const file = this.#file;
    if (file === undefined) return [];
    // Nothing is written before the changes are read: it would replace them.
    this.#isKept = true;
    const text = await readStoredFile(file, (bytes) => reviewText(bytes.toString()), t('the changes under review'));
    const stored = text === undefined ? undefined : await readModifiedFiles(text, this.#blobs);
    this.#isKept = text !== undefined && !stored;
    if (this.#isKept) this.#log.warn('review', `Ignored the changes in ${file}, which ${newer}`);
    for (const path of stored?.lost ?? []) {
      this.#log.warn('review', `Stopped the review of ${path}: its baseline is missing`);
      reportDataLoss(file, t('the changes of {0}', path));
    }
    for (const [path, item] of stored?.items ?? []) this.#modifiedFiles.set(path, item);
    for (const [path, { value }] of stored?.unread ?? []) this.#modifiedFiles.unread.set(path, value);
    this.#recorded = recordedContents(text ?? '', this.#modifiedFiles);
    return Array.from(stored?.unread ?? [], ([path, { message }]) => ({ path, message }));
  }

  /** Writes soon. */
  save(): void {
    this.#scheduledWrite.schedule();
  }

  /** Writes now. Never rejects. */
  async write(): Promise<void> {
    const file = this.#file;
    this.stop();
    if (file === undefined || this.#isKept) return;
    await this.#writing.run(async () => {
      try {
        await writeFileAtomic(file, await writeModifiedFiles(this.#modifiedFiles, this.#blobs));
        this.#failures.end();
      } catch (error) {
        this.#log.error('review', `Failed to save the review: ${errorMessage(error)}`);
        this.#failures.add(error);
      }
    });
  }

  /** Cancels what {@link save} has planned. */
  stop(): void {
    this.#scheduledWrite.cancel();
  }
}

/** The review on disk: JSON with file contents as blobs. */

const STORAGE_VERSION = 1;

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
    const { sessions, withdrawn } = item;
    files[path] = {
      ...(await writeAttribution(item, blobs)),
      disk: await writeContentRef(item.disk, blobs),
      ...(item.overwritten && {
        beneath: await writeContentRef(item.overwritten.content, blobs),
        previous: await writeContentRef(item.overwritten.previous, blobs),
      }),
      sessions,
      ...(withdrawn && { withdrawn: await writeAttribution(withdrawn, blobs) }),
    };
  }
  return JSON.stringify({ parley: STORAGE_VERSION, files, ...(Object.keys(tracked).length > 0 && { tracked }) });
}

async function writeAttribution(
  { attribution, isUnsure }: Pick<ModifiedFile, 'attribution' | 'isUnsure'>,
  blobs: BlobStore,
): Promise<object> {
  return {
    base: await writeContentRef(attribution.base, blobs),
    text: await writeContentRef(attribution.text, blobs),
    personal: attribution.userLines,
    touched: attribution.isReplacedByUser,
    ...(isUnsure && { unsure: true }),
  };
}

/** Contents on disk of all files that the review tracked, which are more than those under review. */
function recordedContents(text: string, modifiedFiles: ModifiedFiles): ReadonlyMap<string, string | null> {
  const tracked = Object.entries(asObject(asObject(parseJson(text))?.['tracked']) ?? {});
  const keys = tracked.map(([path, key]) => [path, asString(key) ?? null] as const);
  const reviewed = modifiedFiles
    .paths()
    .map((path) => [path, contentKey(modifiedFiles.get(path)?.disk) ?? null] as const);
  return new Map([...keys, ...reviewed].map(([path, key]) => [modifiedFiles.keyOf(path), key]));
}

/** Undefined for damaged text. */
function reviewText(text: string): string | undefined {
  const json = asObject(parseJson(text));
  const isReview = asNumber(json?.['parley']) === STORAGE_VERSION && asObject(json?.['files']) !== undefined;
  return isReview || isNewerReview(text) ? text : undefined;
}

/** A newer version of Parley wrote the text. */
export function isNewerReview(text: string): boolean {
  return (asNumber(asObject(parseJson(text))?.['parley']) ?? 0) > STORAGE_VERSION;
}

interface StoredFiles {
  readonly items: ReadonlyMap<string, ModifiedFile>;
  /** Paths of files without their blobs. */
  readonly lost: readonly string[];
  /** Files whose blobs cannot be read now: the stored form, and why. */
  readonly unread: ReadonlyMap<string, { readonly value: JsonObject; readonly message: string }>;
}

/** Undefined for another version or an invalid text. */
export async function readModifiedFiles(text: string, blobs: BlobStore): Promise<StoredFiles | undefined> {
  const json = asObject(parseJson(text));
  const files = asObject(json?.['files']);
  if (asNumber(json?.['parley']) !== STORAGE_VERSION || !files) return undefined;
  const items = new Map<string, ModifiedFile>();
  const lost: string[] = [];
  const unread = new Map<string, { readonly value: JsonObject; readonly message: string }>();
  for (const [path, each] of Object.entries(files)) {
    const value = asObject(each) ?? {};
    try {
      const item = await readItem(value, blobs);
      if (item) items.set(path, item);
      else lost.push(path);
    } catch (error) {
      unread.set(path, { value, message: errorMessage(error) });
    }
  }
  return { items, lost, unread };
}

export function blobsOf(text: string): string[] {
  const files = Object.values(asObject(asObject(parseJson(text))?.['files']) ?? {});
  return files.flatMap((value) => {
    const file = asObject(value) ?? {};
    return [file, asObject(file['withdrawn']) ?? {}].flatMap((sides) =>
      ['base', 'text', 'disk', 'beneath', 'previous'].flatMap(
        (side) => asString(asObject(sides[side])?.['blob']) ?? [],
      ),
    );
  });
}

async function readItem(value: JsonObject, blobs: BlobStore): Promise<ModifiedFile | undefined> {
  const [own, disk] = await Promise.all([readAttribution(value, blobs), readContentRef(value['disk'], blobs)]);
  if (!own || !disk) return undefined;
  const sessions = asArray(value['sessions']).flatMap((id) => asString(id) ?? []);
  const overwritten = await readOverwritten(value, blobs);
  const withdrawn = await readAttribution(asObject(value['withdrawn']) ?? {}, blobs);
  return { ...own, sessions, disk: disk.content, ...omitUndefined({ overwritten, withdrawn }) };
}

async function readAttribution(
  value: JsonObject,
  blobs: BlobStore,
): Promise<Pick<ModifiedFile, 'attribution' | 'isUnsure'> | undefined> {
  const [base, text] = await Promise.all(['base', 'text'].map((side) => readContentRef(value[side], blobs)));
  if (!base || !text) return undefined;
  const userLines = asArray(value['personal']).flatMap((line) => asNumber(line) ?? []);
  const isReplacedByUser = value['touched'] === true;
  const attribution = { base: base.content, text: text.content, userLines, isReplacedByUser };
  return { attribution, ...(value['unsure'] === true && { isUnsure: true }) };
}

async function readOverwritten(value: JsonObject, blobs: BlobStore): Promise<ModifiedFile['overwritten']> {
  if (!('beneath' in value)) return undefined;
  const [content, previous] = await Promise.all([
    readContentRef(value['beneath'], blobs),
    readContentRef(value['previous'], blobs),
  ]);
  return content && previous && { content: content.content, previous: previous.content };
}

/** Null for a missing file. */
export async function writeContentRef(content: FileContent | undefined, blobs: BlobStore): Promise<unknown> {
  if (!content) return null;
  const { mode, permissions } = content;
  return { mode, ...omitUndefined({ permissions }), blob: await blobs.put(bytesOf(content)) };
}

/** Undefined when the content cannot be read. */
export async function readContentRef(
  value: unknown,
  blobs: BlobStore,
): Promise<{ readonly content: FileContent | undefined } | undefined> {
  if (value === null) return { content: undefined };
  const side = asObject(value);
  const bytes = await blobs.get(asString(side?.['blob']) ?? '');
  return bytes && { content: fileContentOf(asString(side?.['mode']) ?? '', bytes, asNumber(side?.['permissions'])) };
}
