import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import type { ResolvedFileReference } from '../../../shared/protocol/chatPageProtocol';
import type { WorkspacePathIndex } from '../../attachments/pathIndex';
import { existingPaths } from './existingPaths';

/**
 * Which of the paths that texts name are there, in the workspace. A path counts from each folder; one that is not there may be the end of
 * exactly one file's path, for agents say `upload.ts` for `src/upload.ts`. What lies outside is not looked for.
 * @param folders absolute
 * @param index of the workspace, read only when a path is not there as it stands
 */
export async function resolveFileReferences(
  texts: readonly string[],
  folders: readonly string[],
  index: () => Promise<Pick<WorkspacePathIndex, 'endingWith'>>,
): Promise<ResolvedFileReference[]> {
  const direct = await existingPaths(texts, folders);
  const missing = direct.filter(({ text, path }) => path === undefined && canEnd(text)).map(({ text }) => text);
  const endings = missing.length === 0 ? undefined : (await index()).endingWith(missing);
  return direct.flatMap(({ text, path }) => {
    const found = path ?? onlyPath(endings?.get(text));
    return found === undefined ? [] : [{ text, path: found }];
  });
}

/** A file's name, or the end of a path. */
function canEnd(text: string): boolean {
  return !isAbsolute(text) && !/^\.{0,2}[\\/]|[\\/]$/.test(text) && /\.\w+$/.test(text);
}

function onlyPath(uris: readonly string[] | undefined): string | undefined {
  const [uri, ...more] = uris ?? [];
  if (uri === undefined || more.length > 0) return undefined;
  const parsed = vscode.Uri.parse(uri);
  return parsed.scheme === 'file' ? parsed.fsPath : undefined;
}
