import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, toDisposable } from '../../base/lifecycle';
import { presentIds, showPresence } from '../../node/fs/fileLock';

/**
 * Says in which folders agents of this window work, for windows of other workspaces that contain the same folders, or folders around or
 * inside of them.
 */
export class WorkSigns implements Disposable {
  /** Files of the signs of this window. */
  readonly #own = new Set<string>();
  readonly #shown = new Set<DisposableStore>();

  /** @param folder of the signs, for all windows: absolute; created when needed */
  constructor(private readonly folder: string) {}

  /** @returns to dispose when the work ends */
  show(folders: readonly string[]): Disposable {
    // Looking at the signs deletes those of dead windows.
    presentIds(this.folder, this.#own);
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
    const others = presentIds(this.folder, this.#own);
    if (others.size === 0) return false;
    return folders
      .map(realPath)
      .some((path) => [workBelow(path), ...withParents(path).map(workIn)].some((id) => others.has(id)));
  }

  dispose(): void {
    for (const signs of this.#shown) signs.dispose();
    this.#shown.clear();
  }

  #show(signs: DisposableStore, id: string): void {
    const sign = signs.add(showPresence(this.folder, id));
    const { file } = sign;
    if (file === undefined) return;
    this.#own.add(file);
    signs.defer(() => this.#own.delete(file));
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
