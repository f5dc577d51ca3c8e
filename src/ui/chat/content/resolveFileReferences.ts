import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import type { ResolvedFileReference } from '../../../shared/protocol/chatPageProtocol';
import type { WorkspacePathIndex } from '../../attachments/pathIndex';
import { existingPaths } from './existingPaths';

/**
 * Finds which paths exist in the workspace. A path is relative to any folder, or the unique end of a file's path: agents write `upload.ts`
 * for `src/upload.ts`. Paths outside are not looked up.
 * @param folders absolute
 * @param index read only when a path does not exist literally
 */
export async function resolveFileReferences(
  texts: readonly string[],
  folders: readonly string[],
  index: () => Promise<WorkspacePathIndex>,
): Promise<ResolvedFileReference[]> {
  const direct = await existingPaths(texts, folders);
  const missing = direct.filter(({ text, path }) => path === undefined && canEnd(text)).map(({ text }) => text);
  const endings = missing.length === 0 ? undefined : (await index()).findByEndings(missing);
  return direct.flatMap(({ text, path }) => {
    const found = path ?? onlyPath(endings?.get(text));
    return found === undefined ? [] : [{ text, path: found }];
  });
}

function canEnd(text: string): boolean {
  return !isAbsolute(text) && !/^\.{0,2}[\\/]|[\\/]$/.test(text) && /\.\w+$/.test(text);
}

function onlyPath(uris: readonly string[] | undefined): string | undefined {
  const [uri, ...more] = uris ?? [];
  if (uri === undefined || more.length > 0) return undefined;
  const parsed = vscode.Uri.parse(uri);
  return parsed.scheme === 'file' ? parsed.fsPath : undefined;
}
