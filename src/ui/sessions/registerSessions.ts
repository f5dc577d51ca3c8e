import type { TreeView } from 'vscode';
import { errorMessage } from '../../base/errors';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { WorkspaceFileIndex } from '../attachments/workspaceFileIndex';
import { withErrorMessage } from '../reportErrors';
import type { Window } from '../window';
import { ChatLocationCommands } from './chatLocationCommands';
import { FolderCommands } from './folderCommands';
import type { SessionHistoryCommands } from './registerHistory';
import { registerHistory } from './registerHistory';
import type { SessionCommands } from './sessionCommands';
import type { SessionNode } from './sessionTree';
import { SessionTree } from './sessionTree';

/** The list of sessions and the commands on sessions. */
export interface SessionsFeature extends Disposable {
  readonly sessionTree: SessionTree;
  readonly folders: FolderCommands;
  readonly sessionCommands: Readonly<Record<keyof SessionCommands, (target?: unknown) => Promise<void>>>;
  readonly chatLocationCommands: ChatLocationCommands;
  readonly history: SessionHistoryCommands;
}

/** @param view not disposed here */
export function registerSessions(
  window: Window,
  view: TreeView<SessionNode>,
  paths: WorkspaceFileIndex,
): SessionsFeature {
  const { sessions, catalog, chat, log } = window;
  const store = new DisposableStore();
  const sessionTree = store.add(new SessionTree(catalog, view));
  const logFailure = (error: unknown): void =>
    log.error('ui', `Failed to report a session that another window has taken: ${errorMessage(error)}`);
  store.add(
    sessions.onDidLoseSession(
      (taken) => void import('./takeoverPrompt').then(({ showTakenOver }) => showTakenOver(taken)).catch(logFailure),
    ),
  );
  return {
    sessionTree,
    folders: store.add(new FolderCommands(sessions, paths, chat)),
    sessionCommands: commandsOf(window, sessionTree),
    chatLocationCommands: new ChatLocationCommands(chat, catalog, sessions),
    history: store.add(registerHistory(window)),
    dispose: () => store.dispose(),
  };
}

/** The commands are loaded on first use. None rejects. */
function commandsOf(
  { catalog, chat, notices, sessions }: Window,
  tree: SessionTree,
): SessionsFeature['sessionCommands'] {
  const loaded = new Lazy(async () => {
    const { SessionCommands: Loaded } = await import('./sessionCommands');
    return new Loaded(catalog, chat, notices.show, sessions, tree);
  });
  const run =
    (command: keyof SessionCommands) =>
    (target?: unknown): Promise<void> =>
      withErrorMessage(async () => (await loaded.load())[command](target));
  return {
    stop: run('stop'),
    rename: run('rename'),
    archive: run('archive'),
    unarchive: run('unarchive'),
    delete: run('delete'),
    fork: run('fork'),
    copyResumeCommand: run('copyResumeCommand'),
    continueInTerminal: run('continueInTerminal'),
    refresh: run('refresh'),
  };
}
