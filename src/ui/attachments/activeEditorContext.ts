import * as vscode from 'vscode';
import { DelayedCall } from '../../base/clock';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Attachment } from '../../shared/state/attachments';
import { attachmentKey } from '../../shared/state/attachments';
import { visibleEditor, trackActiveEditor } from '../../workbench/activeEditor';
import { isInWorkspace } from '../../workbench/workspaceFiles';
import type { FollowToggle } from '../window';
import { selectedLines } from './selectionAttachment';

/** Debounce of selection changes, in milliseconds. */
const DEBOUNCE_MS = 120;

/** The workspace file that the user opened in the active editor, or the selected lines. */
export class EditorContext implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  #current: Attachment | undefined;

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  /** @param previewed knows the files that are in an editor only because the agent worked there */
  constructor(private readonly previewed: FollowToggle) {
    this.#current = readActiveEditor(previewed);
    const refresh = this.#store.add(new DelayedCall(DEBOUNCE_MS, () => this.#refresh()));
    const later = (): void => refresh.restart();
    this.#store.add(trackActiveEditor());
    this.#store.add(previewed.onDidChange(later));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(later));
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(later));
    this.#store.add(vscode.window.onDidChangeTextEditorSelection(later));
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(later));
  }

  get current(): Attachment | undefined {
    return this.#current;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refresh(): void {
    const before = this.#current;
    this.#current = readActiveEditor(this.previewed);
    if (contextKey(before) !== contextKey(this.#current)) this.#onDidChange.fire();
  }
}

function contextKey(attachment: Attachment | undefined): string | undefined {
  return attachment && attachmentKey(attachment);
}

function readActiveEditor(previewed: FollowToggle): Attachment | undefined {
  const editor = visibleEditor();
  const uri = editor?.document.uri;
  if (!editor || !uri || !isInWorkspace(uri)) return undefined;
  if (previewed.isOnlyPreviewed(uri.toString())) return undefined;
  if (!editor.selection.isEmpty) return selectedLines(editor);
  // An editor inside another one, such as a diff of many files or a peek, shows a file that the user did not open.
  if (editor.viewColumn === undefined) return undefined;
  return { kind: 'active', uri: uri.toString(), label: vscode.workspace.asRelativePath(uri) };
}
