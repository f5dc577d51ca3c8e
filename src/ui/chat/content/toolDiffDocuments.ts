import { basename } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import type { Session } from '../../../session/session';
import type { Sessions } from '../../../session/sessions';
import { viewColumnBesideChat } from '../../../workbench/activeEditor';
import type { ShowNotice } from '../../../workbench/notice';
import { showNotification } from '../../../workbench/notice';
import { AS_TEXT } from '../../../workbench/textEditorOptions';
import { ReadOnlyDocuments } from '../../../workbench/virtualDocuments';

const SCHEME = 'parley-diff';

/** Shows diffs of tool calls in VS Code's diff editor; both sides are virtual documents. */
export class DiffDocuments extends ReadOnlyDocuments {
  constructor(
    sessions: Sessions,
    private readonly showNotice: ShowNotice = showNotification,
  ) {
    super(SCHEME, (uri) => diffSideText(uri, sessions));
  }

  /** Opens the diff; shows a message when its texts are no longer available. */
  async open(session: Session, diffId: string): Promise<void> {
    const diff = session.diff(diffId);
    if (!diff) {
      this.showNotice({ text: t('This diff is no longer available.'), isWarning: true }, session.id);
      return;
    }
    const title = `${basename(diff.path)} (${session.state.agent?.title ?? t('Agent')})`;
    const [before, after] = (['old', 'new'] as const).map((side) => diffUri(session, diffId, diff.path, side));
    await vscode.commands.executeCommand('vscode.diff', before, after, title, {
      preview: true,
      ...AS_TEXT,
      ...viewColumnBesideChat(),
    });
  }
}

function diffSideText(uri: vscode.Uri, sessions: Sessions): string | undefined {
  const query = new URLSearchParams(uri.query);
  const session = sessions.allOpen().find(({ id }) => id === query.get('session'));
  const diff = session?.diff(query.get('diff') ?? '');
  return query.get('side') === 'old' ? diff?.oldText : diff?.newText;
}

/** Keeps the file's path, from which VS Code derives the language. */
function diffUri(session: Session, diff: string, path: string, side: 'old' | 'new'): vscode.Uri {
  const query = new URLSearchParams({ session: session.id, diff, side }).toString();
  return vscode.Uri.file(path).with({ scheme: SCHEME, authority: '', query });
}
