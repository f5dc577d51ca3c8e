import * as vscode from 'vscode';
import type { PageDocument } from './chatHtml';

export function pageLanguage(): Pick<PageDocument, 'language' | 'translations'> {
  return { language: vscode.env.language, translations: vscode.l10n.bundle };
}
