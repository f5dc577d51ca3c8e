import * as vscode from 'vscode';
import type { Deferred } from '../../base/async';
import { deferred, settlesWithin } from '../../base/async';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { toByteString } from './fileContent';
import type { FileContent } from './fileContent';

/** Milliseconds that a save may take, with formatters: VS Code reports no failed save. */
const SAVE_LIMIT = 5000;

/** A save of the user. */
export interface UserSave {
  readonly path: string;
  readonly content: FileContent;
}

/** Saves of the user in editors: a file on disk with the saved content was not changed by an agent. */
export class UserSaves implements Disposable {
  readonly #store = new DisposableStore();
  /** From the start of a save until VS Code reports its end. */
  readonly #pending = new Map<string, Deferred<void>>();
  readonly #saved = new Map<string, FileContent>();
  readonly #didSave = this.#store.add(new Emitter<UserSave>());

  /** A listener calls {@link forget} when it has handled the save. */
  readonly onDidSave: Event<UserSave> = this.#didSave.event;

  constructor() {
    const { workspace } = vscode;
    this.#store.add(workspace.onWillSaveTextDocument(({ document }) => this.#start(document)));
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
  async content(path: string): Promise<FileContent | undefined> {
    const pending = this.#pending.get(path);
    if (pending && !(await settlesWithin(pending.promise, SAVE_LIMIT))) this.#release(path, pending);
    return this.#saved.get(path);
  }

  /** Drops a handled save: otherwise an equal write of the agent would count as the user's. */
  forget({ path, content }: UserSave): void {
    if (this.#saved.get(path) === content) this.#saved.delete(path);
  }

  #start({ uri }: vscode.TextDocument): void {
    if (uri.scheme !== 'file') return;
    this.#pending.get(uri.fsPath)?.resolve();
    this.#pending.set(uri.fsPath, deferred());
  }

  async #end(document: vscode.TextDocument): Promise<void> {
    const path = document.uri.fsPath;
    if (document.uri.scheme !== 'file') return;
    const pending = this.#pending.get(path);
    const content = await encoded(document);
    this.#saved.set(path, content);
    if (pending) this.#release(path, pending);
    this.#didSave.fire({ path, content });
  }

  #release(path: string, pending: Deferred<void>): void {
    pending.resolve();
    if (this.#pending.get(path) === pending) this.#pending.delete(path);
  }
}

/** The bytes that saving would write. */
export async function encoded(document: vscode.TextDocument, text = document.getText()): Promise<FileContent> {
  const isPlain = document.encoding === 'utf8';
  const bytes = isPlain ? Buffer.from(text) : await vscode.workspace.encode(text, { encoding: document.encoding });
  return { mode: '100644', bytes: toByteString(bytes) };
}
