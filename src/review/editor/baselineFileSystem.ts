import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { VirtualFiles } from '../../workbench/virtualDocuments';

export const BASE_SCHEME = 'parley-base';

/**
 * Baselines for diff editors: a read-only file system rather than text documents, so that images can be compared too. Text is UTF-8,
 * whatever encoding the file is opened with.
 */
export function registerBaselineFileSystem(read: (uri: vscode.Uri) => Promise<Uint8Array>): VirtualFiles {
  const isReadonly = new vscode.MarkdownString(t('This is the read-only version from before the agent’s changes.'));
  return new VirtualFiles(BASE_SCHEME, { isReadonly }, read);
}
