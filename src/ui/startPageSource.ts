import * as vscode from 'vscode';
import { DelayedCall } from '../base/clock';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { omitUndefined } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import { escapeInvisibleInline } from '../base/untrustedText';
import type { SessionListItem } from '../history/sessionSummary';
import type { SessionCatalog } from '../session/sessionCatalog';
import type { RecentSession, WorkspaceFacts } from '../shared/protocol/chatPageProtocol';
import { repositories } from './attachments/gitChanges';
import { workspaceRoots } from './sessions/folderCommands';
import { folderTexts, sessionDescription } from './sessions/sessionGroups';

const MAX_RECENT = 3;
/** The list and the problems may change many times in a second. */
const CHECK_DELAY_MS = 1000;

interface StartPageContent {
  readonly recent?: readonly RecentSession[];
  readonly facts: WorkspaceFacts;
}

/** What a chat without messages offers besides agents: the newest sessions, and what the workspace gives to ask about. */
export class StartPageSource implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  #content: StartPageContent | undefined;
  /** As of the last event. */
  #reported: string | undefined;

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  constructor(private readonly catalog: SessionCatalog) {
    const check = this.#store.add(new DelayedCall(CHECK_DELAY_MS, () => this.#check()));
    const later = (): void => {
      this.#content = undefined;
      check.schedule();
    };
    this.#store.add(catalog.onDidChange(later));
    this.#store.add(vscode.languages.onDidChangeDiagnostics(later));
  }

  get content(): StartPageContent {
    return (this.#content ??= this.#read());
  }

  dispose(): void {
    this.#store.dispose();
  }

  #check(): void {
    const now = JSON.stringify(this.content);
    if (now === this.#reported) return;
    this.#reported = now;
    this.#onDidChange.fire();
  }

  #read(): StartPageContent {
    const items = this.catalog.items().filter(({ archived }) => !archived);
    const recent = items.slice(0, MAX_RECENT);
    const folderText = folderTexts(recent, workspaceRoots());
    const now = Date.now();
    const toRecent = (item: SessionListItem): RecentSession => ({
      id: item.id,
      title: escapeInvisibleInline(item.title),
      description: escapeInvisibleInline(sessionDescription(item, now, folderText)),
      ...omitUndefined({ agent: item.agent?.name }),
    });
    return { facts: readFacts(), ...(recent.length > 0 && { recent: recent.map(toRecent) }) };
  }
}

function readFacts(): WorkspaceFacts {
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  return {
    hasProblems: vscode.languages
      .getDiagnostics()
      .some(
        ([uri, all]) =>
          vscode.workspace.getWorkspaceFolder(uri) &&
          all.some(({ severity }) => severity === error || severity === warning),
      ),
    hasChanges: repositories().some(
      ({ state }) =>
        state.workingTreeChanges.length + state.indexChanges.length + (state.untrackedChanges?.length ?? 0) > 0,
    ),
  };
}
