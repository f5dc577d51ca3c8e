import type { TreeView, UriHandler, WebviewPanelSerializer } from 'vscode';
import { DisposableStore } from '../base/lifecycle';
import type { AgentsFeature } from './agents/registerAgents';
import { registerAgents } from './agents/registerAgents';
import type { WorkspaceFileIndex } from './attachments/workspaceFileIndex';
import type { EditorActions } from './editorActions/registerEditorActions';
import { registerEditorActions } from './editorActions/registerEditorActions';
import type { WhatsNew } from './editorActions/whatsNew';
import { registerPageActions } from './intents/registerPageActions';
import type { PermissionsFeature } from './permissions/registerPermissions';
import { registerPermissions } from './permissions/registerPermissions';
import { registerKeepAwake } from './registerKeepAwake';
import type { SessionsFeature } from './sessions/registerSessions';
import { registerSessions } from './sessions/registerSessions';
import type { SessionNode } from './sessions/sessionTree';
import { StatusBar } from './statusBar';
import { registerSystemNotifications } from './systemNotifications/registerSystemNotifications';
import type { Window } from './window';
import type { WorktreeUi } from './worktrees/registerWorktrees';
import { registerWorktrees } from './worktrees/registerWorktrees';

/** What the features have for the table of commands and for `entryPoints.ts`. */
export interface Ui extends SessionsFeature, PermissionsFeature, AgentsFeature, EditorActions {
  readonly worktrees: WorktreeUi;
  readonly raceBoard: WebviewPanelSerializer;
  readonly links: UriHandler;
  readonly sendPlan: () => Promise<void>;
  readonly showDiagram: () => Promise<void>;
}

/** Registers the features of the UI. */
export function registerUi(
  window: Window,
  sessionsView: TreeView<SessionNode>,
  paths: WorkspaceFileIndex,
  whatsNew: WhatsNew,
): Ui {
  const { sessions, catalog, log, settings, chat } = window;
  const store = new DisposableStore();
  const list = store.add(registerSessions(window, sessionsView, paths));
  const permissions = store.add(registerPermissions(window));
  const agents = registerAgents(window);
  const editorActions = store.add(registerEditorActions(window, whatsNew));
  const worktrees = store.add(registerWorktrees(window));
  const intents = store.add(registerPageActions(window, { ...list, ...agents, editorActions, worktrees }, paths));
  store.add(new StatusBar(sessions, catalog, chat, list.sessionTree));
  store.add(registerSystemNotifications(window, permissions.notifications));
  store.add(registerKeepAwake(window));
  return {
    ...list,
    ...permissions,
    ...agents,
    ...editorActions,
    worktrees,
    raceBoard: worktrees.raceBoard,
    links: {
      handleUri: async (uri) => {
        const { ChatLinkHandler } = await import('./chatLinkHandler');
        await new ChatLinkHandler(sessions, log, settings, chat).handleUri(uri);
      },
    },
    sendPlan: intents.sendPlan,
    showDiagram: intents.showDiagram,
    dispose: () => store.dispose(),
  };
}
