import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { mapLimited, MAX_OPEN_FILES } from '../base/async';
import type { Git } from '../node/gitCommand';
import type { OwnCall } from './worktreeContent';
import { copiedIgnoredFiles } from './worktreeContent';
import type { IgnoredFiles } from './worktreeRecord';

/** Files and folders that are looked at in one worktree. */
const MAX_ENTRIES = 100_000;
/** Names that are read from a folder at a time. */
const BATCH = 256;

/** Counts the files below one name. */
interface Walk {
  /** The worktree. */
  readonly path: string;
  readonly copied: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** Entries that may still be looked at, in all names together. */
  left: number;
}

type Sum = { -readonly [K in keyof IgnoredFiles]: IgnoredFiles[K] };

/**
 * The files of a worktree that git ignores and that were not copied into it: the results of a build, a new `.env.local`.
 * @param call on its files, after its content was read
 * @param maxEntries files and folders that are looked at
 */
export async function ignoredFiles(
  git: Git,
  call: OwnCall,
  maxEntries = MAX_ENTRIES,
): Promise<readonly IgnoredFiles[]> {
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const [names, copied] = await Promise.all([git.fields(list, call), copiedIgnoredFiles(git, call)]);
  const walk: Walk = { path: call.cwd, copied: new Set(copied), signal: call.signal, left: maxEntries };
  const found: IgnoredFiles[] = [];
  // One at a time, because they share the limit.
  for (const name of outermost(names)) {
    const sum: Sum = { name, files: 0, bytes: 0, changedAt: 0, isPartial: false };
    if (name.endsWith('/')) await addFolder(walk, sum, name);
    else await addFile(walk, sum, name);
    if (sum.files > 0 || sum.isPartial) found.push(sum);
  }
  return found;
}

export interface FolderSize {
  readonly bytes: number;
  /** Whether there may be more: the limit was reached, or a folder cannot be read. */
  readonly isPartial: boolean;
}

/** Follows no links. */
export async function diskUsage(path: string, signal: AbortSignal): Promise<FolderSize> {
  const sum: Sum = { name: '', files: 0, bytes: 0, changedAt: 0, isPartial: false };
  await addFolder({ path, copied: new Set(), signal, left: MAX_ENTRIES }, sum, '');
  return sum;
}

/** Git lists a folder and also folders and files in it. */
function outermost(names: readonly string[]): readonly string[] {
  const folders = new Set(names.filter((name) => name.endsWith('/')));
  const isInside = (name: string): boolean => {
    for (let at = name.indexOf('/'); at >= 0 && at < name.length - 1; at = name.indexOf('/', at + 1))
      if (folders.has(name.slice(0, at + 1))) return true;
    return false;
  };
  return [...new Set(names)].filter((name) => !isInside(name)).toSorted();
}

/** @param name ends with a slash */
async function addFolder(walk: Walk, sum: Sum, name: string): Promise<void> {
  try {
    noteChange(sum, await lstat(join(walk.path, name)));
    const batch: Dirent[] = [];
    for await (const entry of await opendir(join(walk.path, name), { bufferSize: BATCH })) {
      if (batch.length >= walk.left) {
        sum.isPartial = true;
        break;
      }
      batch.push(entry);
      if (batch.length === BATCH) await addEntries(walk, sum, name, batch.splice(0));
    }
    await addEntries(walk, sum, name, batch);
  } catch {
    walk.signal.throwIfAborted();
    sum.isPartial = true;
  }
}

async function addEntries(walk: Walk, sum: Sum, folder: string, entries: readonly Dirent[]): Promise<void> {
  walk.signal.throwIfAborted();
  walk.left -= entries.length;
  const files = entries.filter((entry) => !entry.isDirectory());
  await mapLimited(files, MAX_OPEN_FILES, ({ name }) => addFile(walk, sum, `${folder}${name}`));
  for (const entry of entries) if (entry.isDirectory()) await addFolder(walk, sum, `${folder}${entry.name}/`);
}

/** Links are not followed. */
async function addFile(walk: Walk, sum: Sum, name: string): Promise<void> {
  if (walk.copied.has(name)) return;
  sum.files++;
  try {
    const info = await lstat(join(walk.path, name));
    sum.bytes = Math.min(sum.bytes + info.size, Number.MAX_SAFE_INTEGER);
    noteChange(sum, info);
  } catch {
    // It is being deleted.
    sum.isPartial = true;
  }
}

function noteChange(sum: Sum, { mtimeMs }: Stats): void {
  sum.changedAt = Math.max(sum.changedAt, Math.floor(mtimeMs));
}
