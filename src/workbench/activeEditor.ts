import * as vscode from 'vscode';
import type { Disposable } from '../base/lifecycle';

/** The editors beside a chat in an editor tab. */

/** View type of chat tabs, by which VS Code restores them. */
export const CHAT_EDITOR = 'parley.editor';

/** VS Code has no active text editor while another kind of tab, such as a chat, has the focus. */
let last: vscode.TextEditor | undefined;

/** Tracks the last text editor until the result is disposed. */
export function trackActiveEditor(): Disposable {
  const note = (editor: vscode.TextEditor | undefined): void => {
    if (isEditor(editor)) last = editor;
  };
  note(vscode.window.activeTextEditor);
  return vscode.window.onDidChangeActiveTextEditor(note);
}

/** The last text editor while it is visible; undefined when several candidates are visible. */
export function lastActiveEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  if (isEditor(activeTextEditor)) return activeTextEditor;
  const visible = visibleTextEditors.filter(isEditor);
  const lastVisible = visible.find((editor) => isSameEditor(editor, last));
  return lastVisible ?? (visible.length === 1 ? visible[0] : undefined);
}

/** Excludes logs and comment boxes. */
function isEditor(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
  return editor?.viewColumn !== undefined;
}

/** VS Code creates a new object for an editor that was hidden. */
function isSameEditor({ document, viewColumn }: vscode.TextEditor, other: vscode.TextEditor | undefined): boolean {
  return document.uri.toString() === other?.document.uri.toString() && viewColumn === other.viewColumn;
}

/**
 * The text editor in view. While a chat tab has the focus, VS Code has no active text editor: then the last one, or the
 * first visible one beside it.
 */
export function visibleEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  if (activeTextEditor || !isChat(tabGroups.activeTabGroup)) return activeTextEditor;
  return lastActiveEditor() ?? visibleTextEditors.find(isEditor);
}

/**
 * The editor group for a file opened from a chat: another existing group where the chat's tab has the focus, so that
 * the chat stays visible. Undefined: the active group. Never splits a group.
 */
export function viewColumnBesideChat(): { readonly viewColumn?: vscode.ViewColumn } {
  const { activeTabGroup, all } = vscode.window.tabGroups;
  if (!isChat(activeTabGroup)) return {};
  const others = all.filter((group) => group !== activeTabGroup);
  const free = others.find((group) => !isChat(group)) ?? others[0];
  return free ? { viewColumn: free.viewColumn } : {};
}

/** Whether an editor tab of this type of webview is in view. */
export function isPanelVisible(viewType: string): boolean {
  return vscode.window.tabGroups.all.some((group) => shows(group, viewType));
}

function isChat(group: vscode.TabGroup): boolean {
  return shows(group, CHAT_EDITOR);
}

/** VS Code adds a prefix to the view type. */
function shows({ activeTab }: vscode.TabGroup, viewType: string): boolean {
  return activeTab?.input instanceof vscode.TabInputWebview && activeTab.input.viewType.endsWith(viewType);
}
