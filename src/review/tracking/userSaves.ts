import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Deferred } from '../../base/async';
import { createDeferred, settlesWithin } from '../../base/async';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { readContent, toByteString } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import type { ReviewPaths } from './reviewScope';

/** Milliseconds that a save may take, with formatters: VS Code reports no failed save. */
const SAVE_LIMIT_MS = 5000;

/** What a save wrote. */
export interface SavedContent extends FileContent {
  /** What was on disk when the save began; undefined if that is not known. */
  readonly replaced?: { readonly content: FileContent | undefined };
}

export interface UserSave {
  /** As the review names the file. */
  readonly path: string;
  readonly content: SavedContent;
}

/** A save that VS Code has begun. */
interface PendingSave extends Deferred<void> {
  readonly replaced: Promise<SavedContent['replaced']>;
}

/** Saves of the user in editors: a file on disk with the saved content was not changed by an agent. */
export class UserSaves implements Disposable {
  readonly #store = new DisposableStore();
  /** By {@link keyOf}. From the start of a save until VS Code reports its end. */
  readonly #pending = new Map<string, PendingSave>();
  readonly #saved = new Map<string, SavedContent>();
  readonly #onDidSave = this.#store.add(new Emitter<UserSave>());

  /** A listener calls {@link deleteSave} when it has handled the save. */
  readonly onDidSave: Event<UserSave> = this.#onDidSave.event;

  constructor(private readonly paths: ReviewPaths) {
    const { workspace } = vscode;
    this.#store.add(workspace.onWillSaveTextDocument((event) => this.#start(event)));
    this.#store.add(workspace.onDidSaveTextDocument((document) => void this.#end(document)));
    this.#store.defer(() => {
      for (const pending of this.#pending.values()) pending.resolve();
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  /**
   * The content that the user has just saved; undefined without a save. Waits for the end of a save, because the disk has the text before
   * VS Code reports the save.
   */
  async content(path: string): Promise<SavedContent | undefined> {
    if (this.#pending.size === 0 && this.#saved.size === 0) return undefined;
    const key = keyOf(path);
    const pending = this.#pending.get(key);
    if (pending && !(await settlesWithin(pending.promise, SAVE_LIMIT_MS))) this.#release(key, pending);
    return this.#saved.get(key);
  }

  /** Drops a handled save: otherwise an equal write of the agent would count as the user's. */
  deleteSave({ path, content }: UserSave): void {
    const key = keyOf(path);
    if (this.#saved.get(key) === content) this.#saved.delete(key);
  }

  #start(event: vscode.TextDocumentWillSaveEvent): void {
    const { scheme, fsPath } = event.document.uri;
    if (scheme !== 'file') return;
    const key = keyOf(fsPath);
    this.#pending.get(key)?.resolve();
    // A write of an agent just before the save is not the user's: the save waits until it is read.
    const replaced = this.#replaced(fsPath);
    event.waitUntil(replaced);
    this.#pending.set(key, { ...createDeferred<void>(), replaced });
  }

  async #end(document: vscode.TextDocument): Promise<void> {
    const { scheme, fsPath } = document.uri;
    if (scheme !== 'file') return;
    const key = keyOf(fsPath);
    const pending = this.#pending.get(key);
    const [saved, path, replaced] = await Promise.all([encode(document), this.paths.nameOf(fsPath), pending?.replaced]);
    const content = replaced ? { ...saved, replaced } : saved;
    this.#saved.set(key, content);
    if (pending) this.#release(key, pending);
    this.#onDidSave.fire({ path, content });
  }

  async #replaced(path: string): Promise<SavedContent['replaced']> {
    const content = await readContent(await this.paths.real(await this.paths.nameOf(path)));
    return content === 'unknown' ? undefined : { content };
  }

  #release(key: string, pending: PendingSave): void {
    pending.resolve();
    if (this.#pending.get(key) === pending) this.#pending.delete(key);
  }
}

/** The same for all names of a file: an editor may have it open by a folder that is a link. */
function keyOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The bytes that saving would write. */
export async function encode(document: vscode.TextDocument, text = document.getText()): Promise<FileContent> {
  const isPlain = document.encoding === 'utf8';
  const bytes = isPlain ? Buffer.from(text) : await vscode.workspace.encode(text, { encoding: document.encoding });
  return { mode: '100644', bytes: toByteString(bytes) };
}
