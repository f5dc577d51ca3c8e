import * as vscode from 'vscode';

/**
 * Opens a URL in the browser exactly as displayed. A `Uri` would decode parts of the query, which breaks sign-in URLs;
 * VS Code accepts a string, although the type does not allow it. VS Code shows the whole URL and asks, unless the user
 * trusts the domain; false when the user declined.
 */
export async function openExternalUrl(url: string): Promise<boolean> {
  return vscode.env.openExternal(url as unknown as vscode.Uri);
}
