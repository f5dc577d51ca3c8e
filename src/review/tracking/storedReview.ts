import { errorMessage } from '../../base/errors';
import { asArray, asNumber, asObject, asString, omitUndefined, parseJson } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { BlobStore } from '../storage/blobStore';
import { fileContentOf } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import type { FileAttribution } from './fileAttribution';
import type { AttributedChange, ModifiedFiles, ModifiedFile } from './modifiedFiles';
import { REVIEW_VERSION } from './modifiedFiles';
import type { SessionShares } from './sessionShares';
import { contentKey } from './turnChanges';

/** Reads the review on disk. In a separate chunk: needed once in each window. */

/** Contents on disk of all files that the review tracked, which are more than those under review. */
export function recordedContents(text: string, modifiedFiles: ModifiedFiles): ReadonlyMap<string, string | null> {
  const tracked = Object.entries(asObject(asObject(parseJson(text))?.['tracked']) ?? {});
  const keys = tracked.map(([path, key]) => [path, asString(key) ?? null] as const);
  const reviewed = modifiedFiles
    .paths()
    .map((path) => [path, contentKey(modifiedFiles.get(path)?.disk) ?? null] as const);
  return new Map([...keys, ...reviewed].map(([path, key]) => [modifiedFiles.keyOf(path), key]));
}

/** The stored form of files by path; none for damaged text, or that of another version. */
export function filesIn(text: string): JsonObject {
  const json = asObject(parseJson(text));
  return (asNumber(json?.['parley']) === REVIEW_VERSION && asObject(json?.['files'])) || {};
}

/** Undefined for damaged text. */
export function reviewText(text: string): string | undefined {
  const json = asObject(parseJson(text));
  const isReview = asNumber(json?.['parley']) === REVIEW_VERSION && asObject(json?.['files']) !== undefined;
  return isReview || isNewerReview(text) ? text : undefined;
}

/** A newer version of Parley wrote the text. */
export function isNewerReview(text: string): boolean {
  return (asNumber(asObject(parseJson(text))?.['parley']) ?? 0) > REVIEW_VERSION;
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
  if (asNumber(json?.['parley']) !== REVIEW_VERSION || !files) return undefined;
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
    const shares = asArray(file['shares']).map((share) => asObject(share) ?? {});
    return [file, asObject(file['withdrawn']) ?? {}, ...shares].flatMap((sides) =>
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
  const shares = await readShares(value, sessions, blobs);
  return { ...own, sessions, disk: disk.content, ...omitUndefined({ overwritten, withdrawn, shares }) };
}

/** Undefined unless the share of each session can be read. */
async function readShares(
  { shares: stored, text }: JsonObject,
  sessions: readonly string[],
  blobs: BlobStore,
): Promise<SessionShares | undefined> {
  const shares = new Map<string, FileAttribution>();
  for (const each of asArray(stored)) {
    const share = asObject(each) ?? {};
    const read = await readAttribution({ ...share, text }, blobs);
    if (read) shares.set(asString(share['session']) ?? '', read.attribution);
  }
  return shares.size > 0 && sessions.every((id) => shares.has(id)) ? shares : undefined;
}

async function readAttribution(value: JsonObject, blobs: BlobStore): Promise<AttributedChange | undefined> {
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
