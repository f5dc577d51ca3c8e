import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Deferred } from '../../base/async';
import { createDeferred, MAX_OPEN_FILES, mapLimited, settlesWithin } from '../../base/async';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { isInside } from '../../node/fs/realPaths';
import type { FileContent } from '../storage/fileContent';
import { readContent } from '../storage/fileContent';
import type { ReviewPaths } from './reviewScope';
import { contentKey } from './turnChanges';

/** Milliseconds that VS Code may take for a change: it reports no failed one. */
const CHANGE_LIMIT_MS = 5000;
/** Files of a folder that was copied or moved; the others count as changed by the agent. */
const MAX_FILES = 2000;

/** A change that VS Code has announced. */
interface PendingChange {
  /** Absolute paths. */
  readonly places: readonly string[];
  /** Files that were there before. */
  readonly before: Promise<readonly string[]>;
  readonly done: Deferred<void>;
}

interface WillEvent {
  waitUntil(done: Promise<unknown>): void;
}

/**
 * Files that the user creates, copies, moves, renames or deletes in VS Code, and notebooks and files of custom editors that they save.
 * Saves of text are {@link UserSaves}. In a separate chunk: needed from the first turn on.
 */
export class UserFileChanges implements Disposable {
  readonly #store = new DisposableStore();
  readonly #pending = new Set<PendingChange>();
  /** Keys of contents by the review's name of the file; undefined for a deleted file. */
  readonly #made = new Map<string, string | undefined>();
  /** Custom editors with changes. */
  readonly #dirty = new Set<string>();
  #agentEdits = 0;

  /**
   * @param agents while none works, nothing is noted
   * @param attribute checks files, as the review names them
   */
  constructor(
    private readonly paths: ReviewPaths,
    private readonly agents: { readonly isBusy: boolean },
    private readonly attribute: (paths: readonly string[]) => Promise<void>,
  ) {
    const { workspace, window } = vscode;
    const moved = ({ files }: vscode.FileRenameEvent): vscode.Uri[] =>
      files.flatMap(({ oldUri, newUri }) => [oldUri, newUri]);
    for (const subscription of [
      workspace.onWillCreateFiles((event) => this.#start(event.files, event)),
      workspace.onDidCreateFiles(({ files }) => void this.#end(files)),
      workspace.onWillDeleteFiles((event) => this.#start(event.files, event)),
      workspace.onDidDeleteFiles(({ files }) => void this.#end(files)),
      workspace.onWillRenameFiles((event) => this.#start(moved(event), event)),
      workspace.onDidRenameFiles((event) => void this.#end(moved(event))),
      workspace.onWillSaveNotebookDocument((event) => this.#start([event.notebook.uri], event)),
      workspace.onDidSaveNotebookDocument(({ uri }) => void this.#end([uri])),
      window.tabGroups.onDidChangeTabs(({ changed, closed }) => this.#handleTabs([...changed, ...closed])),
    ])
      this.#store.add(subscription);
    this.#store.defer(() => {
      for (const { done } of this.#pending) done.resolve();
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Runs an edit of an agent. What VS Code reports meanwhile is not the user's: it does not say which files an edit creates or moves. */
  async runAgentEdit<T>(edit: () => Promise<T>): Promise<T> {
    this.#agentEdits += 1;
    try {
      return await edit();
    } finally {
      this.#agentEdits -= 1;
    }
  }

  get #isIgnored(): boolean {
    return this.#agentEdits > 0 || !this.agents.isBusy;
  }

  /** Whether the user has given a file this content (undefined: deleted it). Waits for the end of a change that VS Code has begun. */
  async isMade(path: string, content: FileContent | undefined): Promise<boolean> {
    for (const pending of this.#pending) {
      if (!pending.places.some((place) => isInside(place, path))) continue;
      if (!(await settlesWithin(pending.done.promise, CHANGE_LIMIT_MS))) this.#pending.delete(pending);
    }
    return this.#made.has(path) && this.#made.get(path) === contentKey(content);
  }

  #start(uris: readonly vscode.Uri[], event: WillEvent): void {
    const places = pathsOf(uris);
    if (places.length === 0 || this.#isIgnored) return;
    const before = Promise.all(places.map(filesAt)).then((files) => files.flat());
    // What is moved or deleted must be read before.
    event.waitUntil(before);
    this.#pending.add({ places, before, done: createDeferred<void>() });
  }

  async #end(uris: readonly vscode.Uri[]): Promise<void> {
    const places = pathsOf(uris);
    const ended = [...this.#pending].filter((each) => each.places.some((place) => places.includes(place)));
    const isIgnored = places.length === 0 || this.#isIgnored;
    const names = isIgnored ? [] : await this.#noteFiles(places, ended).catch(() => []);
    for (const each of ended) {
      this.#pending.delete(each);
      each.done.resolve();
    }
    await this.attribute(names);
    // Otherwise an equal change of the agent would count as the user's.
    for (const name of names) this.#made.delete(name);
  }

  /** Notes what is there now, and what was there before. */
  async #noteFiles(places: readonly string[], ended: readonly PendingChange[]): Promise<readonly string[]> {
    const found = await Promise.all([...ended.map(({ before }) => before), ...places.map(filesAt)]);
    const names = await Promise.all([...new Set(found.flat())].map((path) => this.paths.nameOf(path)));
    await mapLimited(names, MAX_OPEN_FILES, (name) => this.#note(name));
    return names;
  }

  async #note(name: string): Promise<void> {
    const content = await readContent(await this.paths.real(name));
    if (content !== 'unknown') this.#made.set(name, contentKey(content));
  }

  /** VS Code reports no save of a custom editor, but a tab that has no changes any more. */
  #handleTabs(tabs: readonly vscode.Tab[]): void {
    for (const { input, isDirty } of tabs) {
      if (!(input instanceof vscode.TabInputCustom)) continue;
      const key = input.uri.toString();
      if (isDirty) this.#dirty.add(key);
      else if (this.#dirty.delete(key)) void this.#end([input.uri]);
    }
  }
}

function pathsOf(uris: readonly vscode.Uri[]): readonly string[] {
  return uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
}

/** The files of a folder, or the path itself. */
async function filesAt(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => undefined);
  if (!entries) return [path];
  return entries
    .filter((entry) => !entry.isDirectory())
    .slice(0, MAX_FILES)
    .map((entry) => join(entry.parentPath, entry.name));
}
