import type * as vscode from 'vscode';
import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { showWarningMessage } from '../../workbench/windowMessages';
import { isRealInWorkspace } from '../../workbench/workspaceFiles';

/** The files outside the workspace that the user selected in this window: messages may attach them. */
export class ChosenFiles {
  /** Without links: a link that leads elsewhere later is another file. */
  readonly #uris = new Set<string>();

  /** @param real from `realUri` */
  add(real: vscode.Uri): void {
    this.#uris.add(real.toString());
  }

  /** @param real from `realUri` of the URI */
  has(uri: vscode.Uri, real: vscode.Uri): boolean {
    return isRealInWorkspace(uri, real) || this.#uris.has(real.toString());
  }

  /**
   * Asks about a file outside the workspace and shows its real path: pages show texts of agents, and links of a repository can have any name.
   * @param real from `realUri`; this very file may be read then
   * @throws ParleyError `outsideWorkspace` if the user declines
   */
  async confirm(real: vscode.Uri): Promise<void> {
    const detail = escapeInvisibleInline(real.fsPath);
    const message = t('Attach a file from outside the workspace?');
    const attach = t('Attach');
    if ((await showWarningMessage(message, { modal: true, detail }, attach)) !== attach)
      throw new ParleyError('outsideWorkspace', t('not attached'));
    this.add(real);
  }
}
