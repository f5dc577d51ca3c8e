import type * as vscode from 'vscode';
import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { isInWorkspace, realUri } from '../../workbench/workspaceFiles';
import { showWarningMessage } from '../../workbench/windowMessages';

/** The files outside the workspace that the user selected in this window: messages may attach them. */
export class ChosenFiles {
  /** Without links: a link that leads elsewhere later is another file. */
  readonly #uris = new Set<string>();

  add(uri: vscode.Uri): void {
    this.#uris.add(realUri(uri).toString());
  }

  has(uri: vscode.Uri): boolean {
    return isInWorkspace(uri) || this.#uris.has(realUri(uri).toString());
  }

  /**
   * Asks about a file outside the workspace and shows its real path: pages show texts of agents, and links of a repository can have any name.
   * @throws ParleyError `outsideWorkspace` if the user declines
   */
  async confirm(uri: vscode.Uri): Promise<void> {
    const detail = escapeInvisibleInline(realUri(uri).fsPath);
    const message = t('Attach a file from outside the workspace?');
    const attach = t('Attach');
    if ((await showWarningMessage(message, { modal: true, detail }, attach)) !== attach)
      throw new ParleyError('outsideWorkspace', t('not attached'));
    this.add(uri);
  }
}
