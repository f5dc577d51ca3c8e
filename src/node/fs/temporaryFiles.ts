import { randomUUID } from 'node:crypto';
import { readdir, realpath, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isOtherScope, processScope } from '../process/processScope';
import { isStillRunning, startOf } from '../process/processStart';
import { encodeRecord } from './inPlaceWrite';
import { inFolderOf } from './pinnedFolder';
import { makePrivateFolder, PRIVATE_FILE_MODE } from './privateFiles';
import { readIfThere } from './readIfThere';
import type { CutWrite } from './restoreCutWrite';

/**
 * New contents of user files, written beside them before they replace them, so that a crash never leaves a half-written file. Each is
 * recorded in the storage, so that the next start deletes what a crash has left. Files that are written in place are recorded, too.
 */

/** Milliseconds after which no process is writing the file any more. */
const MAX_WRITE_MS = 3_600_000;
/** Ends the names of records of {@link recordInPlaceWrite}. */
const IN_PLACE_RECORD = '.inPlace';
const NAME = /^\.[0-9a-f-]{36}\.parley$/;

/** Absolute; undefined records nothing. */
let records: string | undefined;

/**
 * Deletes or restores what windows that have ended left, and records temporary files from now on. Never rejects.
 * @param folder of the records, for all windows: absolute; created when needed
 * @param now milliseconds since 1970
 * @returns files whose write in place was cut off
 */
export async function recordTemporaryFiles(folder: string, now = Date.now()): Promise<readonly CutWrite[]> {
  records = folder;
  const found: CutWrite[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const record = join(folder, name);
    if (await mayBeWriting(record, name, now).catch(() => true)) continue;
    if (name.endsWith(IN_PLACE_RECORD)) {
      const { restoreCutWrite } = await import('./restoreCutWrite');
      const { cut, isNeeded } = await restoreCutWrite(record, now);
      if (cut) found.push(cut);
      if (isNeeded) continue;
    } else await deleteTemporary(record);
    await rm(record, { force: true }).catch(() => undefined);
  }
  return found;
}

async function deleteTemporary(record: string): Promise<void> {
  const path = (await readIfThere(record).catch(() => undefined))?.toString() ?? '';
  if (NAME.test(basename(path))) await inFolderOf(path, unlink).catch(() => undefined);
}

/** @throws system errors while too many files are open */
async function mayBeWriting(record: string, name: string, now: number): Promise<boolean> {
  const [pid, scope = '', started = ''] = name.split('.');
  // Older versions of Parley write no start time.
  const start = /^\d+$/.test(started) ? started : '';
  // This process has written nothing yet: a process with its id has ended.
  if (!isOtherScope(scope) && Number(pid) === process.pid) return false;
  const { mtimeMs } = (await stat(record).catch(() => undefined)) ?? { mtimeMs: 0 };
  const isRecent = Math.abs(now - mtimeMs) < MAX_WRITE_MS;
  if (isOtherScope(scope)) return isRecent;
  return (isRecent || start !== '') && isStillRunning(Number(pid), start, () => mtimeMs);
}

/**
 * Runs a job with an unused name in the folder of a file. What the job leaves under that name is deleted.
 * @param file absolute, or as given by `inFolderOf`
 */
export async function withTemporaryFile<T>(file: string, job: (temporary: string) => Promise<T>): Promise<T> {
  const temporary = join(dirname(file), `.${randomUUID()}.parley`);
  // Where the storage cannot be written, a crash may leave the file.
  const record = await writeRecord(temporary, (path) => path).catch(() => undefined);
  try {
    return await job(temporary);
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (record !== undefined) await rm(record, { force: true }).catch(() => undefined);
  }
}

/**
 * Records both contents of a file that is written in place: a start before the record is removed restores the old content. Where the storage
 * cannot be written, a crash may leave a part of the new one.
 * @param file as for {@link withTemporaryFile}
 * @returns removes the record
 */
export async function recordInPlaceWrite(
  file: string,
  before: Uint8Array,
  after: Uint8Array,
): Promise<() => Promise<void>> {
  const record = await writeRecord(file, (path) => encodeRecord(path, before, after), IN_PLACE_RECORD).catch(
    () => undefined,
  );
  return async () => {
    if (record !== undefined) await rm(record, { force: true }).catch(() => undefined);
  };
}

/**
 * @param encode gives the content of the record of a real path
 * @returns the path of the record
 */
async function writeRecord(
  file: string,
  encode: (path: string) => string | Uint8Array,
  suffix = '',
): Promise<string | undefined> {
  if (records === undefined) return undefined;
  await makePrivateFolder(records);
  const owner = [process.pid, processScope(), startOf(process.pid) ?? ''].join('.');
  const record = join(records, `${owner}.${randomUUID()}${suffix}`);
  const path = join(await realpath(dirname(file)), basename(file));
  try {
    await writeFile(record, encode(path), { flag: 'wx', mode: PRIVATE_FILE_MODE });
  } catch (error) {
    await rm(record, { force: true }).catch(() => undefined);
    throw error;
  }
  return record;
}
