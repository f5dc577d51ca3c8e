import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pageHtml } from './chatHtml';
import { pageLanguage } from './pageLanguage';
import type { TablePage } from './tabIcon';
import { tabIcon } from './tabIcon';

/** An empty editor tab; {@link showTablePage} fills it. */
export function openTablePanel(viewType: string, title: string): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active);
}

/**
 * Loads the page into its tab; call it after subscribing to messages.
 * @param title of the document, read by screen readers
 */
export function showTablePage(
  panel: vscode.WebviewPanel,
  extensionUri: vscode.Uri,
  page: TablePage,
  title: string,
): void {
  const uri = (...path: string[]): vscode.Uri => vscode.Uri.joinPath(extensionUri, ...path);
  const { webview } = panel;
  const urlOf = (...path: string[]): string => webview.asWebviewUri(uri(...path)).toString();
  panel.iconPath = tabIcon(extensionUri, page);
  webview.options = { enableScripts: true, localResourceRoots: [uri('dist', 'webview'), uri('media')] };
  webview.html = pageHtml({
    cspSource: webview.cspSource,
    nonce: randomBytes(18).toString('base64'),
    script: urlOf('dist', 'webview', `${page}.js`),
    styles: urlOf('dist', 'webview', 'tables.css'),
    title,
    ...pageLanguage(),
  });
}
