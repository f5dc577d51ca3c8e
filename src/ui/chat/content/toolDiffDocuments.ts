import { basename } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import { viewColumnBesideChat } from '../../../workbench/activeEditor';
import type { UiSession, UiSessions } from '../../uiTypes';

const SCHEME = 'parley-diff';

/** Shows diffs of tool calls in VS Code's diff editor; both sides are virtual documents. */
export class DiffDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #sessions: UiSessions;
  readonly #registration: Disposable;

  constructor(sessions: UiSessions) {
    this.#sessions = sessions;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** Opens the diff; shows a message when its texts are no longer available. */
  async open(session: UiSession, diffId: string): Promise<void> {
    const diff = session.diff(diffId);
    if (!diff) {
      void vscode.window.showWarningMessage(t('The two versions of this file are no longer there.'));
      return;
    }
    const title = `${basename(diff.path)} (${session.state.agent?.title ?? t('Agent')})`;
    const [before, after] = (['old', 'new'] as const).map((side) => address(session, diffId, diff.path, side));
    await vscode.commands.executeCommand('vscode.diff', before, after, title, {
      preview: true,
      ...viewColumnBesideChat(),
    });
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    const query = new URLSearchParams(uri.query);
    const session = this.#sessions.all().find(({ id }) => id === query.get('session'));
    const diff = session?.diff(query.get('diff') ?? '');
    return query.get('side') === 'old' ? diff?.oldText : diff?.newText;
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

/** Keeps the file's path, from which VS Code derives the language. */
function address(session: UiSession, diff: string, path: string, side: 'old' | 'new'): vscode.Uri {
  const query = new URLSearchParams({ session: session.id, diff, side }).toString();
  return vscode.Uri.file(path).with({ scheme: SCHEME, authority: '', query });
}
