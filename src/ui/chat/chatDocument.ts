import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { ChatPageLocation } from '../../shared/protocol/chatPageProtocol';
import { pageHtml } from './chatHtml';
import { pageLanguage } from './pageLanguage';

/** Makes a webview load the page of a chat. */
export function loadChatDocument(webview: vscode.Webview, extensionUri: vscode.Uri, location: ChatPageLocation): void {
  const uri = (...path: string[]): vscode.Uri => vscode.Uri.joinPath(extensionUri, ...path);
  const urlOf = (...path: string[]): string => webview.asWebviewUri(uri(...path)).toString();
  webview.options = { enableScripts: true, localResourceRoots: [uri('dist', 'webview'), uri('media')] };
  webview.html = pageHtml({
    cspSource: webview.cspSource,
    nonce: randomBytes(18).toString('base64'),
    script: urlOf('dist', 'webview', 'page.js'),
    chunks: chunksOf(uri('dist', 'webview', 'page.json')).map((name) => urlOf('dist', 'webview', name)),
    styles: urlOf('dist', 'webview', 'chat.css'),
    title: t('Parley Chat'),
    location,
    opening: t('Opening the conversation…'),
    ...pageLanguage(),
  });
}

/** Names of the files that the script of the page imports at once, written by the build. Without them it loads a little later. */
function chunksOf({ fsPath }: vscode.Uri): readonly string[] {
  try {
    return JSON.parse(readFileSync(fsPath, 'utf8')) as string[];
  } catch {
    return [];
  }
}
