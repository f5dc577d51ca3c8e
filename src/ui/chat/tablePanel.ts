import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pageHtml } from './chatHtml';
import { pageLanguage } from './pageLanguage';
import { tabIcon } from './tabIcon';

/** An editor tab whose page is a table: the traffic, the audit log. */
export interface TablePanel {
  readonly viewType: string;
  /** Of the tab. */
  readonly title: string;
  /** Of the document, which screen readers say. */
  readonly documentTitle: string;
  /** Names the script in dist/webview and the icon in media/tab. */
  readonly page: 'traffic' | 'audit';
}

/** Opens the tab. `show` puts the page into it, for when its messages are listened to. */
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
      styles: [
        address('dist', 'webview', 'codicon.css'),
        address('media', 'base.css'),
        address('media', 'traffic.css'),
      ],
      title: documentTitle,
      ...pageLanguage(),
    });
  };
  return { panel, show };
}
