import { randomUUID } from 'node:crypto';
import { readdir, realpath, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isOtherScope, processScope } from '../process/processScope';
import { isAlive } from '../process/processTree';
import { inFolderOf } from './pinnedFolder';
import { makePrivateFolder, PRIVATE_FILE_MODE } from './privateFiles';
import { readIfThere } from './readIfThere';

/**
 * New contents of user files, written beside them before they replace them, so that a crash never leaves a half-written file. Each is
 * recorded in the storage, so that the next start deletes what a crash has left.
 */

/** Milliseconds after which no process is writing the file any more. */
const MAX_WRITE_MS = 3_600_000;
const NAME = /^\.[0-9a-f-]{36}\.parley$/;

/** Absolute; undefined records nothing. */
let records: string | undefined;

/**
 * Deletes what windows that have ended left, and records temporary files from now on. Never rejects.
 * @param folder of the records, for all windows: absolute; created when needed
 * @param now milliseconds since 1970
 */
export async function recordTemporaryFiles(folder: string, now = Date.now()): Promise<void> {
  records = folder;
  for (const name of await readdir(folder).catch(() => [])) {
    const record = join(folder, name);
    if (await mayBeWriting(record, name, now)) continue;
    const path = (await readIfThere(record).catch(() => undefined))?.toString() ?? '';
    if (NAME.test(basename(path))) await inFolderOf(path, unlink).catch(() => undefined);
    await rm(record, { force: true }).catch(() => undefined);
  }
}

async function mayBeWriting(record: string, name: string, now: number): Promise<boolean> {
  const [pid, scope = ''] = name.split('.');
  // This process has written nothing yet: a process with its id has ended.
  if (!isOtherScope(scope)) return Number(pid) !== process.pid && isAlive(Number(pid));
  const { mtimeMs } = (await stat(record).catch(() => undefined)) ?? { mtimeMs: 0 };
  return Math.abs(now - mtimeMs) < MAX_WRITE_MS;
}

/**
 * Runs a job with an unused name in the folder of a file. What the job leaves under that name is deleted.
 * @param file absolute, or as given by `inFolderOf`
 */
export async function withTemporaryFile<T>(file: string, job: (temporary: string) => Promise<T>): Promise<T> {
  const temporary = join(dirname(file), `.${randomUUID()}.parley`);
  // Where the storage cannot be written, a crash may leave the file.
  const record = await recordFile(temporary).catch(() => undefined);
  try {
    return await job(temporary);
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (record !== undefined) await rm(record, { force: true }).catch(() => undefined);
  }
}

async function recordFile(temporary: string): Promise<string | undefined> {
  if (records === undefined) return undefined;
  await makePrivateFolder(records);
  const record = join(records, `${process.pid}.${processScope()}.${randomUUID()}`);
  const path = join(await realpath(dirname(temporary)), basename(temporary));
  await writeFile(record, path, { flag: 'wx', mode: PRIVATE_FILE_MODE });
  return record;
}
