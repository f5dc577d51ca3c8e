import * as vscode from 'vscode';
import { CHAT_EDITOR } from './editorTab';

/** What a chat in an editor tab sees of the editors beside it. */

/**
 * The text editor that the person looks at. While the tab of a chat has the focus VS Code knows no active one: then the first that can be
 * seen beside it.
 */
export function editorInSight(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  if (activeTextEditor || !isChat(tabGroups.activeTabGroup)) return activeTextEditor;
  return visibleTextEditors.find(({ viewColumn }) => viewColumn !== undefined);
}

/**
 * The group for a file that a chat leads to: where the chat's tab has the focus, another group that is there, so that the chat stays in
 * sight. Undefined: the active one. No group is split for it.
 */
export function columnBesideChat(): { readonly viewColumn?: vscode.ViewColumn } {
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
