import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { asObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { SessionLockedError } from '../../history/sessionLocks';
import type { LastViewedSession } from '../../session/lastViewedSession';
import { readLastViewed } from '../../session/lastViewedSession';
import type { Session } from '../../session/session';
import { CHAT_EDITOR } from '../../workbench/activeEditor';
import { showWarningMessage } from '../../workbench/windowMessages';
import { withErrorMessage } from '../reportErrors';
import type { PageServices } from './chatPage';
import type { TabOwner } from './chatTab';
import { ChatTab } from './chatTab';
import { tabTitle } from './tabIcon';

/** Chats in editor tabs, one per session, restored with the window. */
export class ChatTabs implements vscode.WebviewPanelSerializer, Disposable {
  readonly #store = new DisposableStore();
  readonly #tabs = new Map<Session, ChatTab>();
  readonly #owner: TabOwner;

  constructor(
    private readonly parts: PageServices,
    onDidEnter: TabOwner['onDidEnter'],
    onDidClose: TabOwner['onDidClose'],
  ) {
    this.#owner = {
      newChat: (tab, agentName) => void this.newChat(agentName, tab.column),
      showChat: async (tab, session) => (await this.open(session, tab.column)).page,
      onDidEnter,
      onDidClose: (tab) => {
        this.#tabs.delete(tab.session);
        // Releases a queued message that was being edited in the closed tab.
        tab.session.queue.hold(undefined, tab.page);
        tab.dispose();
        onDidClose(tab);
      },
    };
    this.#store.add(
      parts.sessions.onDidClose((id) =>
        this.all()
          .find(({ session }) => session.id === id)
          ?.close(),
      ),
    );
  }

  all(): readonly ChatTab[] {
    return Array.from(this.#tabs.values());
  }

  tabOf(session: Session): ChatTab | undefined {
    return this.#tabs.get(session);
  }

  /** Shows a session in its tab, or a new one. */
  async open(session: Session, column: vscode.ViewColumn = vscode.ViewColumn.Active): Promise<ChatTab> {
    const tab = this.#tabs.get(session) ?? this.#add(this.#createPanel(session, column), session);
    await tab.show();
    tab.page.post({ type: 'focusComposer' });
    return tab;
  }

  async newChat(agentName?: string, column?: vscode.ViewColumn): Promise<ChatTab> {
    const session = this.parts.sessions.newSession();
    void (agentName === undefined ? session.warmStart.start() : session.chooseAgent(agentName));
    return this.open(session, column);
  }

  /**
   * Restores a tab of an earlier window.
   * @param state stored by its page
   * @param early what the page has sent, if it was loaded before the application
   */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown, early?: readonly unknown[]): Promise<void> {
    let isClosed = false;
    const closing = panel.onDidDispose(() => (isClosed = true));
    const stored = readLastViewed(asObject(state)?.['session']);
    const session = stored && (await this.#find(stored));
    closing.dispose();
    if (isClosed) return;
    // Deleted meanwhile, or closed before its page stored anything.
    if (!session || this.#tabs.has(session)) panel.dispose();
    else this.#add(panel, session, early);
  }

  /** Disposes the tabs without closing them: VS Code restores open ones. */
  dispose(): void {
    for (const tab of this.#tabs.values()) tab.dispose();
    this.#tabs.clear();
    this.#store.dispose();
  }

  async #find({ id, blank, preset }: LastViewedSession): Promise<Session | undefined> {
    const { sessions, log } = this.parts;
    try {
      // A session without messages has no transcript, but may have a draft.
      return (await sessions.open.load(id)) ?? (blank ? sessions.open.create(id, preset) : undefined);
    } catch (error) {
      if (error instanceof SessionLockedError) {
        void withErrorMessage(() => Promise.reject(error));
        return undefined;
      }
      log.error('ui', `Failed to restore session ${id} in its tab: ${errorMessage(error)}`, error);
      const sentence = t('Could not restore a chat in its tab: {0}', errorMessage(error));
      void showWarningMessage(sentence);
      return undefined;
    }
  }

  #createPanel(session: Session, column: vscode.ViewColumn): vscode.WebviewPanel {
    const title = tabTitle(session.state, 'idle');
    // The page is rebuilt from a snapshot when shown (I2), so a hidden page costs neither memory nor time.
    const options = { enableScripts: true, retainContextWhenHidden: false };
    return vscode.window.createWebviewPanel(CHAT_EDITOR, title, column, options);
  }

  #add(panel: vscode.WebviewPanel, session: Session, early?: readonly unknown[]): ChatTab {
    const tab = new ChatTab(panel, session, this.parts, this.#owner, early);
    this.#tabs.set(session, tab);
    return tab;
  }
}
