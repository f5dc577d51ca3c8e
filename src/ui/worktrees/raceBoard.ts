import * as vscode from 'vscode';
import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { AttemptAction, RaceHostMessage, RacePageMessage } from '../../shared/protocol/racePageProtocol';
import { RACE_PANEL } from '../../shared/protocol/racePageProtocol';
import { showInformationMessage } from '../../workbench/windowMessages';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { showTablePage, openTablePanel } from '../chat/tablePanel';
import { parseRaceMessage } from '../messages/parsePageMessage';
import { ALREADY_ANSWERED } from '../pendingRequests';
import { withErrorMessage } from '../reportErrors';
import type { RaceFeed } from './raceFeed';

/** What the user can do with an attempt; each shows its errors. */
export type AttemptActions = Readonly<Record<AttemptAction, (record: WorktreeRecord) => Promise<void>>>;

/** "Show Races": the attempts of each race side by side with their live state, in the only editor tab of this kind. */
export class RaceBoard implements Disposable {
  readonly #open = new MutableDisposable<DisposableStore>();
  #panel: vscode.WebviewPanel | undefined;
  /** The last message to the page, as JSON. */
  #lastPosted = '';

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly worktrees: Worktrees,
    private readonly feed: RaceFeed,
    private readonly actions: AttemptActions,
    private readonly log: Logger,
  ) {}

  show(): void {
    if (this.#panel) this.#panel.reveal();
    else this.restore(openTablePanel(RACE_PANEL, t('Races')));
    void withErrorMessage(() => this.worktrees.refresh());
  }

  /** @param panel a new tab, or that of the window before a reload */
  restore(panel: vscode.WebviewPanel): void {
    this.#panel?.dispose();
    const store = new DisposableStore();
    this.#panel = panel;
    this.#open.value = store;
    store.add(panel.webview.onDidReceiveMessage((value: unknown) => void this.#receive(value)));
    store.add(this.feed.onDidChange(() => this.#post()));
    store.add(panel.onDidDispose(() => this.#onDidClose(panel)));
    showTablePage(panel, this.extensionUri, 'races', t('Parley Races'));
  }

  /**
   * Does nothing if the worktree no longer exists.
   * @param attempt id of a worktree
   */
  async act(action: AttemptAction, attempt: string): Promise<void> {
    const record = this.worktrees.get(attempt);
    if (record) await withErrorMessage(() => this.actions[action](record));
  }

  dispose(): void {
    this.#open.dispose();
  }

  #onDidClose(panel: vscode.WebviewPanel): void {
    if (this.#panel !== panel) return;
    this.#panel = undefined;
    this.#open.value = undefined;
    this.feed.clearTranscripts();
  }

  async #receive(value: unknown): Promise<void> {
    const parsed = parseRaceMessage(value);
    if ('problem' in parsed) this.log.warn('ui', `Ignored a message of the race page: ${parsed.problem}`);
    else await this.#handle(parsed.message);
  }

  async #handle(message: RacePageMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#lastPosted = '';
        return this.#post();
      case 'newRace':
        return vscode.commands.executeCommand('parley.race');
      case 'answer':
        return this.#answer(message);
      case 'act':
        return this.act(message.action, message.attempt);
      case 'pageError':
        return this.log.error('ui', `Race page failed: ${message.message}`);
      default:
        return assertNever(message);
    }
  }

  #answer({ attempt, permissionId, optionId }: Extract<RacePageMessage, { type: 'answer' }>): void {
    if (!this.feed.answer(attempt, permissionId, optionId)) void showInformationMessage(ALREADY_ANSWERED);
  }

  #post(): void {
    const message: RaceHostMessage = { type: 'races', races: this.feed.races() };
    const text = JSON.stringify(message);
    if (text === this.#lastPosted) return;
    this.#lastPosted = text;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's postMessage has none
    void this.#panel?.webview.postMessage(message);
  }
}
