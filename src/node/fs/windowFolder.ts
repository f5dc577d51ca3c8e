import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../../base/lifecycle';
import { presentIds, showPresence } from './fileLock';
import { makePrivateFolder } from './privateFiles';

/**
 * A folder for data that only this window knows, and deletes those of windows that have ended.
 * @param folder of all windows: absolute; created when needed
 * @returns `path` is absolute; created when needed. Dispose it when the window ends
 */
export async function openWindowFolder(folder: string): Promise<Disposable & { readonly path: string }> {
  const [signs, windows] = [join(folder, 'present'), join(folder, 'windows')];
  await makePrivateFolder(signs).catch(() => undefined);
  const id = randomUUID();
  const presence = showPresence(signs, id);
  // Listed first: a window shows its presence before it creates its folder.
  const names = await readdir(windows).catch(() => []);
  const present = presentIds(signs, new Set());
  for (const name of names)
    if (!present.has(name)) await rm(join(windows, name), { recursive: true, force: true }).catch(() => undefined);
  return { path: join(windows, id), dispose: () => presence.dispose() };
}
