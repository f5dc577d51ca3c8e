import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';
import type { ShowNotice } from '../../../workbench/notice';
import { asTextOrMedia } from '../../../workbench/textEditorOptions';
import { VirtualFiles } from '../../../workbench/virtualDocuments';
import { writeChosenFile } from '../../../workbench/writeChosenFile';

const SCHEME = 'parley-data';

/** File extensions by MIME type; other types use their subtype. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
};

/** Opens and saves embedded media; VS Code's editors need a file, which is removed when the editor closes. */
export class EmbeddedData implements Disposable {
  readonly #store = new DisposableStore();
  readonly #files = this.#store.add(new VirtualFiles(SCHEME, { isReadonly: true }));

  constructor() {
    this.#store.add(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed)
          if (input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputText)
            this.#files.remove(input.uri);
      }),
    );
  }

  /** @param data base64 */
  async open(data: string, mimeType: string): Promise<void> {
    const bytes = Buffer.from(data, 'base64');
    const path = `/${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}/${fileName(mimeType)}`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    this.#files.writeFile(uri, bytes);
    await vscode.commands.executeCommand('vscode.open', uri, asTextOrMedia(uri));
  }

  async save(data: string, mimeType: string, folder: string | undefined, showNotice: ShowNotice): Promise<void> {
    const name = fileName(mimeType);
    const defaultUri = folder === undefined ? undefined : vscode.Uri.joinPath(vscode.Uri.file(folder), name);
    const target = await vscode.window.showSaveDialog(defaultUri ? { defaultUri } : {});
    if (!target) return;
    try {
      await writeChosenFile(target, Buffer.from(data, 'base64'));
      await vscode.commands.executeCommand('vscode.open', target, asTextOrMedia(target));
    } catch (error) {
      showNotice({ text: t('Could not save {0}: {1}', name, errorMessage(error)), isWarning: true });
    }
  }

  dispose(): void {
    this.#store.dispose();
  }
}

function fileName(mimeType: string): string {
  const [type = '', subtype = ''] = mimeType.toLowerCase().split(/[/;+]/);
  const extension = EXTENSIONS[mimeType.toLowerCase()] ?? (/^[a-z0-9-]{1,10}$/.test(subtype) ? subtype : 'bin');
  return `${/^[a-z]+$/.test(type) ? type : 'data'}.${extension}`;
}
