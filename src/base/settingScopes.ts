import { t } from './l10n';
import type { SettingReader, SettingProblem } from './settings';

/**
 * Settings read per scope. What VS Code merges is never used: there a workspace's value replaces the user's, and a repository could
 * add commands, or take rules away. Who reads such a setting decides what counts from where.
 */

/** What one folder of a workspace with several folders sets. */
export interface FolderSetting<T> {
  /** The folder's name in the Explorer. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly value: T;
}

/** A setting as each scope has it. */
export interface SettingScopes<T> {
  /** The user's own; the default where they have set nothing. */
  readonly user: T;
  /** Of `.vscode/settings.json`, or of the `.code-workspace` file. Undefined where nothing is set, and in an untrusted workspace. */
  readonly workspace: T | undefined;
  /** Of the folders that set something, in the Explorer's order. Empty in an untrusted workspace, and where there is only one folder. */
  readonly folders: readonly FolderSetting<T>[];
}

/** As VS Code has them, unchecked. */
export type RawScopes = SettingScopes<unknown>;

/** Checks the value of each scope by itself; what is wrong is named with its scope. */
export function readScopes<T>(
  key: string,
  raw: RawScopes,
  reader: SettingReader<T>,
  problems: SettingProblem[],
): SettingScopes<T> {
  const path = `parley.${key}`;
  const read = (value: unknown, from?: string): T =>
    reader(value, (message, field = '') =>
      problems.push({ path: path + field, message, ...(from !== undefined && { from }) }),
    );
  return {
    user: read(raw.user),
    workspace: raw.workspace === undefined ? undefined : read(raw.workspace, t('workspace settings')),
    folders: raw.folders.map(({ name, path: folder, value }) => {
      return { name, path: folder, value: read(value, t('settings of the folder “{0}”', name)) };
    }),
  };
}

/** What the workspace and its folders set, without the user's own. */
export function workspaceScopeValues<T>({ workspace, folders }: SettingScopes<T>): readonly T[] {
  return [...(workspace === undefined ? [] : [workspace]), ...folders.map(({ value }) => value)];
}

/** All scopes, the user's own first: for what unites (denies), never for what allows. */
export function allScopeValues<T>(scopes: SettingScopes<T>): readonly T[] {
  return [scopes.user, ...workspaceScopeValues(scopes)];
}
