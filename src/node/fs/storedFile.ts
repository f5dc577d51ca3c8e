import type { FileHandle } from 'node:fs/promises';
import { chmod, copyFile, open, readFile, rm, stat } from 'node:fs/promises';
import { errorMessage, isMissingPath, systemErrorCode } from '../../base/errors';
import { Emitter } from '../../base/event';
import { parseJson } from '../../base/json';
import { damagedNames, moveAside, nextDamagedName } from './moveAside';
import { PRIVATE_FILE_MODE } from './privateFiles';

/** Data that a damaged file held, or that cannot be written. */
interface DataLoss {
  /** Absolute; a damaged file is beside it. */
  readonly file: string;
  /** Names the data, for the user: "the checkpoints". */
  readonly lost: string;
  /** Why it cannot be written: it is lost when the window closes. Undefined for a damaged file. */
  readonly unsaved?: string;
}

const didLoseData = new Emitter<DataLoss>();

/** Fires once for each damaged file, and when writing begins to fail. One event for all stores, so that no store can forget to tell the user. */
export const onDidLoseData = didLoseData.event;

/** @param lost names the data, for the user: "the checkpoints" */
export function reportDataLoss(file: string, lost: string): void {
  didLoseData.fire({ file, lost });
}

/**
 * Reports that data cannot be written.
 * @param lost as for {@link reportDataLoss}
 */
export function reportUnsaved(file: string, lost: string, error: unknown): void {
  didLoseData.fire({ file, lost, unsaved: errorMessage(error) });
}

/**
 * Reads a file of the storage. A damaged file, or a folder in its place, is moved aside and reported: the store continues without it.
 * @param file absolute
 * @param parse undefined when the content is damaged
 * @param lost names the data, for the user; undefined for data that is made anew
 * @returns undefined for a missing or damaged file
 * @throws system errors when the file cannot be read now
 */
export async function readStoredFile<T>(
  file: string,
  parse: (bytes: Buffer) => T | undefined,
  lost: string | undefined,
): Promise<T | undefined> {
  let bytes: Buffer | undefined;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (isMissingPath(error)) return undefined;
    if (systemErrorCode(error) !== 'EISDIR') throw error;
  }
  const value = bytes && parse(bytes);
  if (value !== undefined) return value;
  await moveAside(file);
  if (lost !== undefined) reportDataLoss(file, lost);
  return undefined;
}

/** Tells whether another window has written a file since: each atomic write makes a new file. */
export async function identityOf(file: string): Promise<string | undefined> {
  const info = await stat(file).catch(() => undefined);
  return info && [info.ino, info.mtimeMs, info.size].join(' ');
}

/** As {@link readStoredFile}, for JSON. */
export function readStoredJson<T>(
  file: string,
  parse: (json: unknown) => T | undefined,
  lost: string | undefined,
): Promise<T | undefined> {
  return readStoredFile(file, (bytes) => parse(parseJson(bytes.toString())), lost);
}

/**
 * Opens a file of the storage to append to it. A folder in its place is moved aside, and a file that another program has protected becomes
 * writable again.
 * @param lost names the data, for the user
 * @throws system errors
 */
export async function openToAppend(file: string, lost: string): Promise<FileHandle> {
  const tryOpen = (): Promise<FileHandle> => open(file, 'a+', PRIVATE_FILE_MODE);
  try {
    return await tryOpen();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EISDIR') {
      await moveAside(file);
      reportDataLoss(file, lost);
    } else if (code === 'EACCES' || code === 'EPERM') await chmod(file, PRIVATE_FILE_MODE).catch(() => undefined);
    else throw error;
    return tryOpen();
  }
}

/**
 * Keeps a copy of a file that has damaged parts and stays in use, and reports the loss. Only once while the file merely grows: the parts stay
 * damaged. Never rejects.
 * @param lost names the data, for the user
 */
export async function keepDamagedCopy(file: string, lost: string): Promise<void> {
  try {
    const bytes = await readFile(file);
    for (const copy of damagedNames(file)) if (await isCopied(copy, bytes)) return;
    const copy = await nextDamagedName(file);
    await rm(copy, { recursive: true, force: true });
    await copyFile(file, copy);
  } catch {
    // The loss is reported without a copy.
  }
  reportDataLoss(file, lost);
}

async function isCopied(copy: string, bytes: Buffer): Promise<boolean> {
  const copied = await readFile(copy).catch(() => undefined);
  if (!copied || copied.length === 0) return copied?.length === bytes.length;
  return bytes.subarray(0, copied.length).equals(copied);
}
