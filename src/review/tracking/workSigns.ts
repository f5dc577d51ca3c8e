import { createHash } from 'node:crypto';
import { readdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, toDisposable } from '../../base/lifecycle';
import { isPresent, showPresence } from '../../node/fs/fileLock';

/**
 * Says in which folders agents of this window work, for windows of other workspaces that contain the same folders, or folders around or
 * inside of them.
 */
export class WorkSigns implements Disposable {
  readonly #folder: string;
  /** Ids of the signs of this window, with their number. */
  readonly #own = new Map<string, number>();
  readonly #shown = new Set<DisposableStore>();

  /** @param folder of the signs, for all windows: absolute; created when needed */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns to dispose when the work ends */
  show(folders: readonly string[]): Disposable {
    this.#removeDead();
    const signs = new DisposableStore();
    for (const path of folders.map(realPath)) {
      this.#show(signs, workIn(path));
      for (const around of withParents(path)) this.#show(signs, workBelow(around));
    }
    this.#shown.add(signs);
    return toDisposable(() => {
      this.#shown.delete(signs);
      signs.dispose();
    });
  }

  /** Whether an agent of another window works in one of the folders, around it or inside of it. */
  isElsewhere(folders: readonly string[]): boolean {
    return folders.map(realPath).some((path) => {
      const ids = [workBelow(path), ...withParents(path).map(workIn)];
      return ids.some((id) => !this.#own.has(id) && isPresent(this.#folder, id));
    });
  }

  dispose(): void {
    for (const signs of this.#shown) signs.dispose();
    this.#shown.clear();
  }

  #show(signs: DisposableStore, id: string): void {
    this.#own.set(id, (this.#own.get(id) ?? 0) + 1);
    signs.add(showPresence(this.#folder, id));
    signs.defer(() => {
      const left = (this.#own.get(id) ?? 1) - 1;
      if (left > 0) this.#own.set(id, left);
      else this.#own.delete(id);
    });
  }

  /** Looking at a sign deletes it if its window has ended. */
  #removeDead(): void {
    try {
      for (const id of new Set(readdirSync(this.#folder).map((name) => name.split('.')[0] ?? '')))
        isPresent(this.#folder, id);
    } catch {
      // There are none.
    }
  }
}

function workIn(path: string): string {
  return `in-${hashOf(path)}`;
}

function workBelow(path: string): string {
  return `below-${hashOf(path)}`;
}

/** The path and all folders around it. */
function withParents(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withParents(parent)];
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
