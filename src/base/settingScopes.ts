import { t } from './l10n';
import type { SettingReader, SettingProblem } from './settings';

/**
 * Settings read per scope. Values merged by VS Code are never used: a workspace's value would replace the user's, so a repository could
 * add commands or remove rules. Each caller decides which scopes count.
 */

/** The value in one folder of a multi-root workspace. */
export interface FolderSetting<T> {
  /** The folder's name in the Explorer. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly value: T;
}

/** The values of a setting by scope. */
export interface SettingScopes<T> {
  /** The user's value; the default where the user has set none. */
  readonly user: T;
  /** Value in `.vscode/settings.json` or the `.code-workspace` file. Undefined where nothing is set, and in an untrusted workspace. */
  readonly workspace: T | undefined;
  /** Folders with a value, in the Explorer's order. Empty in an untrusted workspace, and with a single folder. */
  readonly folders: readonly FolderSetting<T>[];
}

/** Values as VS Code returns them, not validated. */
export type RawScopes = SettingScopes<unknown>;

/** Validates the value of each scope separately; problems name their scope. */
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

/** The values of the workspace and its folders, without the user's. */
export function workspaceScopeValues<T>({ workspace, folders }: SettingScopes<T>): readonly T[] {
  return [...(workspace === undefined ? [] : [workspace]), ...folders.map(({ value }) => value)];
}

/** The values of all scopes, the user's first. For lists that are joined (deny), never for lists that allow. */
export function allScopeValues<T>(scopes: SettingScopes<T>): readonly T[] {
  return [scopes.user, ...workspaceScopeValues(scopes)];
}
