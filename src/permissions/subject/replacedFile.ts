import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isOnOtherComputer } from '../../base/pathText';
import type { ShownCall } from '../../shared/state/toolCallState';

/**
 * The label of the first file with text that a call replaces without showing that text: its diff is that of a new file.
 * Synchronous, as `realPathNames`.
 * @param cwd absolute folder of relative paths
 * @param folders of the workspace, absolute
 */
export function replacedFile({ content }: ShownCall, cwd: string, folders: readonly string[]): string | undefined {
  const found = content.find((item) => item.type === 'diff' && item.isNew && hasText(resolve(cwd, item.path), folders));
  return found?.type === 'diff' ? found.label : undefined;
}

function hasText(path: string, folders: readonly string[]): boolean {
  if (isOnOtherComputer(path, folders)) return false;
  try {
    const found = statSync(path);
    return found.isFile() && found.size > 0;
  } catch {
    return false;
  }
}
