import * as vscode from 'vscode';
import type { Disposable } from '../base/lifecycle';

/** What a chat in an editor tab sees of the editors beside it. */

/** View type of the tabs with a chat: VS Code restores them by it. */
export const CHAT_EDITOR = 'parley.editor';

/** Where the user was last in a text: VS Code forgets it when a tab without one, such as a chat's, gets the focus. */
let last: vscode.TextEditor | undefined;

/** Notes where the user is, until the result is disposed. */
export function trackActiveEditor(): Disposable {
  const note = (editor: vscode.TextEditor | undefined): void => {
    if (isEditor(editor)) last = editor;
  };
  note(vscode.window.activeTextEditor);
  return vscode.window.onDidChangeActiveTextEditor(note);
}

/** The text editor that the user was in last, as long as it can be seen; undefined where nobody knows which one of several that is. */
export function lastActiveEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  if (isEditor(activeTextEditor)) return activeTextEditor;
  const visible = visibleTextEditors.filter(isEditor);
  const known = visible.find((editor) => isSame(editor, last));
  return known ?? (visible.length === 1 ? visible[0] : undefined);
}

/** Not a log, nor the box of a comment. */
function isEditor(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
  return editor?.viewColumn !== undefined;
}

/** VS Code makes another object of an editor that was out of sight. */
function isSame({ document, viewColumn }: vscode.TextEditor, other: vscode.TextEditor | undefined): boolean {
  return document.uri.toString() === other?.document.uri.toString() && viewColumn === other.viewColumn;
}

/**
 * The text editor that the user looks at. While the tab of a chat has the focus VS Code knows no active one: then the one they were in
 * last, or the first that can be seen beside it.
 */
export function visibleEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  if (activeTextEditor || !isChat(tabGroups.activeTabGroup)) return activeTextEditor;
  return lastActiveEditor() ?? visibleTextEditors.find(isEditor);
}

/**
 * The group for a file that a chat leads to: where the chat's tab has the focus, another group that is there, so that the chat stays in
 * sight. Undefined: the active one. No group is split for it.
 */
export function viewColumnBesideChat(): { readonly viewColumn?: vscode.ViewColumn } {
  const { activeTabGroup, all } = vscode.window.tabGroups;
  if (!isChat(activeTabGroup)) return {};
  const others = all.filter((group) => group !== activeTabGroup);
  const free = others.find((group) => !isChat(group)) ?? others[0];
  return free ? { viewColumn: free.viewColumn } : {};
}

/** VS Code puts something of its own before the type. */
function isChat({ activeTab }: vscode.TabGroup): boolean {
  return activeTab?.input instanceof vscode.TabInputWebview && activeTab.input.viewType.endsWith(CHAT_EDITOR);
}
