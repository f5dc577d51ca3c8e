import * as vscode from 'vscode';

/**
 * Opens an address in the browser exactly as it was shown. A `Uri` would be written anew, which decodes parts of its query: then the
 * address of a sign-in page leads elsewhere. The editor takes a string as it is, though its type does not say so. VS Code shows
 * the whole address and asks, unless the user trusts the domain; false when the user said no.
 */
export async function openExternalUrl(address: string): Promise<boolean> {
  return vscode.env.openExternal(address as unknown as vscode.Uri);
}
