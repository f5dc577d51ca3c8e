import { t } from './l10n';
import { protections } from './settings';
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
  const read = (value: unknown, from?: string): T =>
    reader(value, (message, field) => problems.push(problemIn(key, message, from, field)));
  return {
    user: read(raw.user),
    workspace: raw.workspace === undefined ? undefined : read(raw.workspace, workspaceName()),
    folders: raw.folders.map(({ name, path, value }) => ({ name, path, value: read(value, folderName(name)) })),
  };
}

/**
 * Reads a setting with one value: the innermost, and of a setting in `protections` the strongest. A weaker value of a workspace is a problem.
 */
export function readPlainSetting(
  key: string,
  raw: RawScopes,
  reader: SettingReader<unknown>,
  problems: SettingProblem[],
): unknown {
  const values: readonly unknown[] | undefined = (protections as Record<string, readonly unknown[]>)[key];
  if (!values) {
    const innermost = raw.folders[0]?.value ?? raw.workspace ?? raw.user;
    return reader(innermost, (message, field) => problems.push(problemIn(key, message, undefined, field)));
  }
  const { user, workspace, folders } = readScopes(key, raw, reader, problems);
  const others = folders.map(({ name, value }) => ({ value, from: folderName(name) }));
  if (workspace !== undefined) others.unshift({ value: workspace, from: workspaceName() });
  let strongest = user;
  for (const { value, from } of others) {
    if (values.indexOf(value) < values.indexOf(user))
      problems.push(problemIn(key, t('a workspace cannot weaken this; change it in your user settings'), from));
    if (values.indexOf(value) > values.indexOf(strongest)) strongest = value;
  }
  return strongest;
}

function problemIn(key: string, message: string, from: string | undefined, field = ''): SettingProblem {
  return { path: `parley.${key}${field}`, message, ...(from !== undefined && { from }) };
}

function workspaceName(): string {
  return t('workspace settings');
}

function folderName(name: string): string {
  return t('settings of the folder “{0}”', name);
}

/** The values of the workspace and its folders, without the user's. */
export function workspaceScopeValues<T>({ workspace, folders }: SettingScopes<T>): readonly T[] {
  return [...(workspace === undefined ? [] : [workspace]), ...folders.map(({ value }) => value)];
}

/** The values of all scopes, the user's first. For lists that are joined (deny), never for lists that allow. */
export function allScopeValues<T>(scopes: SettingScopes<T>): readonly T[] {
  return [scopes.user, ...workspaceScopeValues(scopes)];
}
