import { randomUUID } from 'node:crypto';
import { readdir, realpath, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '../process/processTree';
import { inFolderOf } from './pinnedFolder';
import { makePrivateFolder, PRIVATE_FILE_MODE } from './privateFiles';
import { readIfThere } from './readIfThere';

/**
 * New contents of user files, written beside them before they replace them, so that a crash never leaves a half-written file. Each is
 * recorded in the storage, so that the next start deletes what a crash has left.
 */

const NAME = /^\.[0-9a-f-]{36}\.parley$/;

/** Absolute; undefined records nothing. */
let records: string | undefined;

/**
 * Deletes what windows that have ended left, and records temporary files from now on. Never rejects.
 * @param folder of the records, for all windows: absolute; created when needed
 */
export async function recordTemporaryFiles(folder: string): Promise<void> {
  records = folder;
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(name.split('.')[0]);
    // This process has written nothing yet: a process with its id has ended.
    if (pid !== process.pid && isAlive(pid)) continue;
    const record = join(folder, name);
    const path = (await readIfThere(record).catch(() => undefined))?.toString() ?? '';
    if (NAME.test(basename(path))) await inFolderOf(path, unlink).catch(() => undefined);
    await rm(record, { force: true }).catch(() => undefined);
  }
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
  const record = join(records, `${process.pid}.${randomUUID()}`);
  const path = join(await realpath(dirname(temporary)), basename(temporary));
  await writeFile(record, path, { flag: 'wx', mode: PRIVATE_FILE_MODE });
  return record;
}
