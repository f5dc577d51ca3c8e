import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds after which no window can be writing the file any more. */
const MAX_WRITE_MS = 3_600_000;
const NAME = /\.[0-9a-f]{8}-[0-9a-f-]{27}\.new$/;
/** Levels of folders. */
const MAX_DEPTH = 3;
/** Folders below the storage, and how many of their levels hold files of Parley: the rest is the user's, git's or an agent's. */
const OTHERS: Readonly<Record<string, number>> = { agents: 0, git: 0, worktrees: 1 };

/**
 * Deletes files and folders that `writeFileAtomic` or an import had not finished when its process was killed. Never rejects.
 * @param folder absolute: the storage of the extension
 * @param now milliseconds since 1970
 */
export async function removeUnfinished(folder: string, now = Date.now(), depth = MAX_DEPTH): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    // One at a time: this is not urgent, and other work continues meanwhile.
    if (entry.isDirectory() && !NAME.test(entry.name)) {
      const below = Math.min(depth - 1, OTHERS[entry.name] ?? MAX_DEPTH);
      if (depth > 0 && OTHERS[entry.name] !== 0) await removeUnfinished(path, now, below);
    } else if (NAME.test(entry.name)) {
      const { mtimeMs } = (await lstat(path).catch(() => undefined)) ?? { mtimeMs: now };
      if (now - mtimeMs > MAX_WRITE_MS) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
