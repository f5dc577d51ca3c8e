import * as vscode from 'vscode';

/**
 * The editor group in which a file may be shown: the one used last, else the active one, else any whose editor may be covered.
 * Undefined when there is none: no group is split for it.
 */
export function previewColumn(last: vscode.ViewColumn | undefined): vscode.ViewColumn | undefined {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const wanted = [...all.filter(({ viewColumn }) => viewColumn === last), activeTabGroup, ...all];
  return wanted.find(({ activeTab }) => !activeTab || mayBeCovered(activeTab))?.viewColumn;
}

/** Unsaved and pinned editors stay in sight, and so does whatever the person does something in: a chat, a terminal, a diff. */
function mayBeCovered({ isDirty, isPinned, input }: vscode.Tab): boolean {
  if (isDirty || isPinned) return false;
  // Unknown: the welcome page, settings and the like.
  return input instanceof vscode.TabInputText || input === undefined;
}

/** The tab of a file in a group. */
export function hasTab(uri: vscode.Uri, column: vscode.ViewColumn | undefined): vscode.Tab | undefined {
  const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === column);
  return group?.tabs.find(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString(),
  );
}
