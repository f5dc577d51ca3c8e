import { posix } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Git } from '../../node/gitCommand';
import { ignoredNames } from '../../node/gitCommand';
import { WorkspacePathIndex } from './pathIndex';

const MAX_FILES = 200_000;

/**
 * Files and folders of the workspace without those excluded by `files.exclude`, `search.exclude` or git. Listed on first use, then updated
 * by file watchers.
 */
export class WorkspaceFileIndex implements Disposable {
  readonly #store = new DisposableStore();
  readonly #watching = this.#store.add(new MutableDisposable<Disposable>());
  #index = new WorkspacePathIndex();
  #reading: Promise<void> | undefined;
  #isStale = false;

  constructor(
    private readonly log: Logger,
    private readonly git: Git,
  ) {
    const stale = (): void => void (this.#isStale = true);
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(stale));
    this.#store.add(vscode.workspace.onDidGrantWorkspaceTrust(stale));
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('files.exclude') || event.affectsConfiguration('search.exclude')) stale();
      }),
    );
  }

  /** Settles at once, except the first time and after changes of settings or folders. */
  async index(): Promise<WorkspacePathIndex> {
    if (this.#isStale) this.#reading = undefined;
    this.#isStale = false;
    this.#reading ??= this.#read().catch((error: unknown) => {
      this.log.warn('ui', `Failed to list the workspace files: ${errorMessage(error)}`);
      this.#reading = undefined;
    });
    await this.#reading;
    return this.#index;
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #read(): Promise<void> {
    // Watch before listing, so that no new file is missed.
    const index = new WorkspacePathIndex();
    const folders = vscode.workspace.workspaceFolders ?? [];
    const ignored = new Set((await Promise.all(folders.map((folder) => this.#readIgnored(folder)))).flat());
    const isIgnored = (uri: vscode.Uri): boolean => ignored.size > 0 && isInFolders(uri.path, ignored);
    const add = (uri: vscode.Uri): void => {
      if (!isIgnored(uri)) index.addFile(uri.toString(), labelOf(uri));
    };
    this.#watch(index, add, await createdExcludes());
    const found = await vscode.workspace.findFiles('**/*', excludeGlob(), MAX_FILES);
    for (const uri of found) add(uri);
    if (found.length === MAX_FILES) this.log.warn('ui', `Listed only the first ${MAX_FILES} files for "@"`);
    this.#index = index;
  }

  #watch(index: WorkspacePathIndex, add: (uri: vscode.Uri) => void, isExcluded: (uri: vscode.Uri) => boolean): void {
    const store = new DisposableStore();
    this.#watching.value = store;
    const watcher = store.add(vscode.workspace.createFileSystemWatcher('**/*', false, true, false));
    store.add(
      watcher.onDidCreate((uri) => {
        if (!isExcluded(uri)) void this.#addCreated(uri, add);
      }),
    );
    store.add(watcher.onDidDelete((uri) => index.remove(labelOf(uri))));
    const ignoring = store.add(vscode.workspace.createFileSystemWatcher('**/.gitignore'));
    const stale = (): void => void (this.#isStale = true);
    for (const event of [ignoring.onDidChange, ignoring.onDidCreate, ignoring.onDidDelete]) store.add(event(stale));
  }

  async #addCreated(uri: vscode.Uri, add: (uri: vscode.Uri) => void): Promise<void> {
    try {
      const { type } = await vscode.workspace.fs.stat(uri);
      if (type & vscode.FileType.File) add(uri);
      // For a moved folder only the folder is reported.
      else
        for (const one of await vscode.workspace.findFiles(new vscode.RelativePattern(uri, '**/*'), excludeGlob()))
          add(one);
    } catch {
      // Deleted meanwhile.
    }
  }

  /** Paths (as in URIs) ignored by git. */
  async #readIgnored({ uri }: vscode.WorkspaceFolder): Promise<string[]> {
    if (uri.scheme !== 'file') return [];
    try {
      const names = await ignoredNames(this.git, uri.fsPath);
      return names.map((name) => posix.join(uri.path, name));
    } catch (error) {
      this.log.trace('ui', `Failed to list the ignored files of ${uri.fsPath}: ${errorMessage(error)}`);
      return [];
    }
  }
}

/** Display path: relative, with the folder's name first in a multi-root workspace. */
function labelOf(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri);
}

/** `search.exclude`; `files.exclude` applies anyway. */
function excludeGlob(): string | undefined {
  const patterns = searchGlobs();
  return patterns.length === 0 ? undefined : `{${patterns.join(',')}}`;
}

/** What both settings exclude, for files that a watcher reports. */
async function createdExcludes(): Promise<(uri: vscode.Uri) => boolean> {
  const { excludedPaths } = await import('./excludedPaths');
  const isExcluded = excludedPaths([...filesGlobs(), ...searchGlobs()]);
  return (uri) => {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    return folder !== undefined && isExcluded(posix.relative(folder.uri.path, uri.path));
  };
}

function searchGlobs(): string[] {
  return applied(vscode.workspace.getConfiguration('search').get<Record<string, unknown>>('exclude', {}));
}

function filesGlobs(): string[] {
  return applied(vscode.workspace.getConfiguration('files').get<Record<string, unknown>>('exclude', {}));
}

/** Without those that depend on another file (`when`). */
function applied(setting: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(setting).flatMap(([glob, on]) => (on === true ? [glob] : []));
}

/** Whether the set contains a path or one of its parents. */
function isInFolders(path: string, folders: ReadonlySet<string>): boolean {
  for (let part = path; part.length > 1; part = part.slice(0, part.lastIndexOf('/'))) {
    if (folders.has(part)) return true;
  }
  return false;
}
