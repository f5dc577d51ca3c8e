import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pageHtml } from './chatHtml';
import { pageLanguage } from './pageLanguage';
import { tabIcon } from './tabIcon';

/** An editor tab with a table page: traffic or audit log. */
export interface TablePanel {
  readonly viewType: string;
  readonly title: string;
  /** Read by screen readers. */
  readonly documentTitle: string;
  /** Names the script in dist/webview and the icon in media/tab. */
  readonly page: 'traffic' | 'audit';
}

/** `show` loads the page; call it after subscribing to messages. */
export function openTablePanel(
  extensionUri: vscode.Uri,
  { viewType, title, documentTitle, page }: TablePanel,
): { readonly panel: vscode.WebviewPanel; readonly show: () => void } {
  const uri = (...path: string[]): vscode.Uri => vscode.Uri.joinPath(extensionUri, ...path);
  const panel = vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active, {
    enableScripts: true,
    localResourceRoots: [uri('dist', 'webview'), uri('media')],
  });
  panel.iconPath = tabIcon(extensionUri, page);
  const { webview } = panel;
  const address = (...path: string[]): string => webview.asWebviewUri(uri(...path)).toString();
  const show = (): void => {
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      nonce: randomBytes(18).toString('base64'),
      script: address('dist', 'webview', `${page}.js`),
      styles: address('dist', 'webview', 'tables.css'),
      title: documentTitle,
      ...pageLanguage(),
    });
  };
  return { panel, show };
}
