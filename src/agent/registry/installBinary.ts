import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, systemErrorCode } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { acquireLock, isLocked } from '../../node/fs/fileLock';
import type { ArchiveLimits } from './archive/archiveLimits';
import { archiveKind, makeExecutable, unpack } from './archive/unpack';
import { DRAFT, REPLACED } from './interruptedInstall';
import type { BinaryDistribution } from './registryAgent';
import type { DownloadOptions } from './verifiedDownload';
import { downloadVerified } from './verifiedDownload';

interface InstallOptions extends DownloadOptions {
  /** Absolute: the agent's own folder in the extension's storage. */
  readonly home: string;
  readonly version: string;
  /** The previous version, which another window may still run. */
  readonly previous?: string;
  readonly limits?: ArchiveLimits;
  readonly log: Logger;
}

/** Folders of unfinished installations are removed after this time. */
const STALE_MS = 24 * 60 * 60 * 1000;
/** The start of the name of a folder, and of its lock. */
const DRAFT_ID = /^\.new-[^.]*/;

/**
 * Downloads, checks and unpacks a binary, then moves it to its final folder: an installation is complete or absent.
 * Runs nothing of it.
 * @returns the SHA-256 of the download
 * @throws ParleyError, CanceledError
 */
export async function installBinary(from: BinaryDistribution, options: InstallOptions): Promise<string> {
  const { home, version, previous, log } = options;
  const name = DRAFT + randomBytes(6).toString('hex');
  const draft = join(home, name);
  const content = join(draft, 'content');
  // Another window must not remove the folder meanwhile, whatever the clock says.
  const lock = acquireLock(home, name);
  try {
    await mkdir(content, { recursive: true });
    const file = join(draft, 'download');
    const sum = await downloadVerified(from.archive, file, from.sha256, options);
    await unpack(file, archiveKind(from.archive), content, from.cmd, options.limits);
    await makeExecutable(content, from.cmd);
    options.signal?.throwIfAborted();
    await swap(content, join(home, version), join(draft, REPLACED));
    await tidy(home, new Set([version, ...(previous === undefined ? [] : [previous])]), log);
    return sum;
  } finally {
    await rm(draft, { recursive: true, force: true }).catch((error: unknown) => warnNotRemoved(log, draft, error));
    lock?.dispose();
  }
}

async function swap(from: string, to: string, backup: string): Promise<void> {
  const hasBackup = await rename(to, backup).then(
    () => true,
    (error: unknown) => {
      if (systemErrorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
  try {
    await rename(from, to);
  } catch (error) {
    if (hasBackup) await rename(backup, to);
    throw error;
  }
}

/** Removes unused versions. Failures are harmless: on Windows a running program cannot be removed. */
async function tidy(home: string, versions: ReadonlySet<string>, log: Logger): Promise<void> {
  for (const name of await readdir(home)) {
    if (versions.has(name)) continue;
    const path = join(home, name);
    try {
      const { mtimeMs } = await stat(path);
      const [draft = ''] = name.match(DRAFT_ID) ?? [];
      if (draft !== '' && (Date.now() - mtimeMs < STALE_MS || isLocked(home, draft))) continue;
      await rm(path, { recursive: true, force: true });
    } catch (error) {
      warnNotRemoved(log, path, error);
    }
  }
}

function warnNotRemoved(log: Logger, path: string, error: unknown): void {
  log.warn('agent', `Failed to remove ${path}: ${errorMessage(error)}`);
}
