import { join, relative } from 'node:path';
import { isInside } from '../node/fs/realPaths';
import type { WorktreeRecord } from './worktreeRecord';

/** The known worktrees of a window's repositories. Compares names of folders only. */
export class WorktreeList {
  /** By id. Includes records that are not ready, or discarded. */
  protected readonly records = new Map<string, WorktreeRecord>();

  /** Worktrees that can be used, oldest first. */
  usable(): readonly WorktreeRecord[] {
    const usable = [...this.records.values()].filter(({ isReady, isDiscarded }) => isReady && !isDiscarded);
    return usable.toSorted((a, b) => a.createdAt - b.createdAt);
  }

  get(id: string): WorktreeRecord | undefined {
    return this.usable().find((record) => record.id === id);
  }

  /** The worktree that a folder belongs to. */
  around(folder: string): WorktreeRecord | undefined {
    return this.usable().find(({ path }) => isInside(path, folder));
  }

  /** The folder of a session that works in this folder; undefined outside all worktrees. */
  folderAround(folder: string): string | undefined {
    const record = this.around(folder);
    return record && this.workingFolder(record);
  }

  /** The folders that sessions work in. */
  folders(): readonly string[] {
    return this.usable().map((record) => this.workingFolder(record));
  }

  /** The path in the worktree of a session that corresponds to a path of the workspace. */
  counterpart(cwd: string, path: string): string | undefined {
    const record = this.around(cwd);
    if (!record || !isInside(record.repository, path)) return undefined;
    return join(record.path, relative(record.repository, path));
  }

  /** The folder of a worktree that corresponds to the workspace folder. */
  workingFolder({ path, prefix }: WorktreeRecord): string {
    return prefix === '' ? path : join(path, prefix);
  }
}
