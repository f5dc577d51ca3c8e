import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { BASE_SCHEME } from '../editor/baselineFileSystem';
import type { AgentComments } from './agentComments';

/** "Send 3 comments" as a code lens above each line with comments, because menu titles cannot contain a number. */
export class CommentCodeLenses implements vscode.CodeLensProvider, Disposable {
  readonly #store = new DisposableStore();

  readonly onDidChangeCodeLenses: vscode.Event<void>;

  constructor(private readonly comments: AgentComments) {
    this.onDidChangeCodeLenses = comments.onDidChange;
    const documents = [{ scheme: 'file' }, { scheme: BASE_SCHEME }];
    this.#store.add(vscode.languages.registerCodeLensProvider(documents, this));
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const { count } = this.comments;
    const title = count === 1 ? t('Send 1 comment') : t('Send {0} comments', count);
    const tooltip = t('Send all comments to the agent in one message');
    return [...this.comments.linesIn(uri)].map(
      (line) =>
        new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, tooltip, command: 'parley.sendComments' }),
    );
  }

  dispose(): void {
    this.#store.dispose();
  }
}
