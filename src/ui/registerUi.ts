import * as vscode from 'vscode';
import { errorMessage } from '../base/errors';
import type { Event } from '../base/event';
import { omitUndefined } from '../base/json';
import { Lazy } from '../base/lazy';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { PageEnvironment } from '../shared/protocol/chatPageProtocol';
import type { ShowNotice } from '../workbench/notice';
import type { AgentCommands } from './agents/agentCommands';
import { createAgentCommands, createInstallAgent } from './agents/agentCommands';
import type { InstallAgent } from './agents/installAgent';
import { EditorContext } from './attachments/activeEditorContext';
import { AttachmentService } from './attachments/attachmentService';
import { WorkspaceFileIndex } from './attachments/workspaceFileIndex';
import type { PageServices } from './chat/chatPage';
import { ChatPages } from './chat/chatPages';
import type { ChatTabs } from './chat/chatTabs';
import type { ChatView } from './chat/chatView';
import { ContentActions } from './chat/content/contentActions';
import { DiffDocuments } from './chat/content/toolDiffDocuments';
import { DraftStore } from './chat/draftStore';
import { SyntaxTheme } from './chat/syntaxTheme';
import { ChatLinkHandler } from './chatLinkHandler';
import type { EditorActions, EditorActionCommands } from './editorActions/registerEditorActions';
import { registerEditorActions } from './editorActions/registerEditorActions';
import { EditorIntents } from './intents/editorIntents';
import type { IntentTargets } from './intents/intentRouter';
import { IntentRouter } from './intents/intentRouter';
import { pageEnvironmentOf } from './pageEnvironment';
import type { PendingRequestPicker } from './permissions/pendingRequestPicker';
import { PermissionNotifications } from './permissions/permissionNotifications';
import { PermissionViews } from './permissions/permissionViews';
import { withErrorMessage } from './reportErrors';
import { ChatLocationCommands } from './sessions/chatLocationCommands';
import { createSessionCommands } from './sessions/createSessionCommands';
import { FolderCommands } from './sessions/folderCommands';
import { SessionTree } from './sessions/sessionTree';
import { StatusBar } from './statusBar';
import { registerSystemNotifications } from './systemNotifications/registerSystemNotifications';
import type { SystemNotifications } from './systemNotifications/systemNotifications';
import type { UiDeps } from './uiDeps';
import type { WorktreeUi } from './worktrees/registerWorktrees';
import { registerWorktrees } from './worktrees/registerWorktrees';

/** The parts that others use. */
export interface Ui extends AgentCommands, Disposable {
  readonly chat: ChatPages;
  readonly pendingRequests: Pick<PendingRequestPicker, 'show' | 'answerBy'>;
  readonly permissionViews: PermissionViews;
  readonly sessionTree: SessionTree;
  readonly folders: FolderCommands;
  readonly worktrees: WorktreeUi;
  readonly sessionCommands: ReturnType<typeof createSessionCommands>;
  readonly chatLocationCommands: ChatLocationCommands;
  /** What VS Code shows or opens; registered by `entryPoints.ts`. */
  readonly pages: {
    readonly chatView: ChatView;
    readonly chatTabs: ChatTabs;
    readonly sessionTree: SessionTree;
    readonly raceBoard: WorktreeUi['raceBoard'];
    readonly links: ChatLinkHandler;
  };
  readonly editorActionCommands: EditorActionCommands;
  readonly installAgent: Pick<InstallAgent, 'show' | 'add'>;
  /** Reads the attachments of messages. */
  readonly attachmentService: Pick<AttachmentService, 'read'>;
  /** Sends the plan of the active editor. */
  readonly sendPlan: () => Promise<void>;
  /** Attaches the editor's selection to the draft. */
  readonly addSelection: () => Promise<void>;
}

/** Registers the UI: pages, status bar, notifications, lists. */
export function registerUi(options: UiDeps): Ui {
  const { sessions, catalog, log } = options;
  const store = new DisposableStore();
  const installAgent = createInstallAgent(options);
  const paths = store.add(new WorkspaceFileIndex(log, options.git));
  const attachmentService = new AttachmentService({ ...options, paths, chat: () => chat });
  const showNotice: ShowNotice = (...notice) => chat.notices.show(...notice);
  const content = { ...contentOf(options, store, paths, showNotice), installAgent, attachmentService };
  const folders = store.add(new FolderCommands(sessions, paths, () => chat.focus()));
  const plans = new Lazy(async () => store.add(new (await import('./chat/content/planEditor')).PlanEditor(showNotice)));
  const worktrees = registerWorktrees(options, store, () => chat, attachmentService);
  const parts = { folders, worktrees, editor: new EditorIntents(options, plans, showNotice) };
  const { handle } = new IntentRouter({ ...options, ...parts, ...content, editorActions: () => actions });
  const editor = editorStateOf(store, options);
  const environment = (): PageEnvironment => ({ ...pageEnvironmentOf(options), ...editor.now(), ...newsOf(actions) });
  const pageServices = { ...pagePartsOf(options, store, () => system), environment, handle };
  const chat: ChatPages = store.add(new ChatPages(pageServices));
  const actions: EditorActions = store.add(editorActionsOf(options, chat, attachmentService));
  const sessionTree = store.add(new SessionTree(catalog, options.sessionsView));
  const system = registerStatusItems(options, store, chat, sessionTree);
  followChanges([actions.whatsNew.onDidChange, ...editor.changes, ...environmentEvents(options)], store, chat);
  return {
    chat,
    pendingRequests: pendingRequestsOf(options, chat),
    permissionViews: store.add(new PermissionViews(options, showNotice)),
    sessionTree,
    folders,
    worktrees,
    sessionCommands: createSessionCommands(catalog, chat, sessions, sessionTree),
    chatLocationCommands: new ChatLocationCommands(chat, catalog, sessions),
    pages: entryPagesOf(options, chat, sessionTree, worktrees),
    editorActionCommands: actions.commands,
    ...createAgentCommands(options, chat, installAgent),
    installAgent,
    attachmentService,
    sendPlan: () => withErrorMessage(async () => (await plans.load()).send()),
    addSelection: () => attachmentService.addSelection(),
    dispose: () => store.dispose(),
  };
}

function entryPagesOf(
  { sessions, log, settings }: UiDeps,
  chat: ChatPages,
  sessionTree: SessionTree,
  { raceBoard }: Pick<WorktreeUi, 'raceBoard'>,
): Ui['pages'] {
  const links = new ChatLinkHandler(sessions, log, settings, chat);
  return { chatView: chat.view, chatTabs: chat.tabs, sessionTree, raceBoard, links };
}

function contentOf(
  { sessions, edit }: UiDeps,
  store: DisposableStore,
  paths: WorkspaceFileIndex,
  showNotice: ShowNotice,
): Pick<IntentTargets, 'entries' | 'diffs'> {
  const entries = store.add(new ContentActions(paths, edit, showNotice));
  return { entries, diffs: store.add(new DiffDocuments(sessions, showNotice)) };
}

function newsOf({ whatsNew }: EditorActions): Partial<PageEnvironment> {
  return omitUndefined({ whatsNew: whatsNew.version });
}

/** Registers what informs the user about chats that are not visible, and the commands that open these chats. */
function registerStatusItems(
  options: UiDeps,
  store: DisposableStore,
  chat: ChatPages,
  tree: SessionTree,
): Lazy<SystemNotifications> {
  const { sessions, catalog, log, settings } = options;
  const permissions = store.add(new PermissionNotifications(sessions, chat, settings));
  store.add(new StatusBar(sessions, catalog, (badge) => chat.view.setBadge(badge, tree)));
  const logFailure = (error: unknown): void =>
    log.error('ui', `Failed to report a session that another window has taken: ${errorMessage(error)}`);
  store.add(
    sessions.onDidLoseSession(
      (taken) =>
        void import('./sessions/takeoverPrompt').then(({ showTakenOver }) => showTakenOver(taken)).catch(logFailure),
    ),
  );
  return registerSystemNotifications(options, store, chat, (request) => permissions.show(request));
}

/** Handles clicks on system notifications of pages, and those that a page could not show. */
function notificationHandlerOf(system: () => Lazy<SystemNotifications>): PageServices['onDidUseNotification'] {
  return async ({ type, id }) =>
    type === 'notificationClicked' ? system().value?.open(id) : system().value?.showOutside(id);
}

function followChanges(changes: readonly Event<unknown>[], store: DisposableStore, chat: ChatPages): void {
  for (const changed of changes) store.add(changed(() => chat.postEnvironment()));
}

function environmentEvents({ settings, installs, prompts, follow }: UiDeps): Event<unknown>[] {
  const { onDidChangeWorkspaceFolders } = vscode.workspace;
  return [
    settings.onDidChange,
    installs.onDidChange,
    prompts.onDidChange,
    follow.onDidChange,
    onDidChangeWorkspaceFolders,
  ];
}

function editorActionsOf(options: UiDeps, pages: ChatPages, attachmentService: AttachmentService): EditorActions {
  return registerEditorActions({ ...options, ...options.editorActions, pages, attachmentService });
}

function pagePartsOf(
  options: UiDeps,
  store: DisposableStore,
  system: () => Lazy<SystemNotifications>,
): Omit<PageServices, 'environment' | 'handle' | 'notices'> {
  const { extensionUri, sessions, tools, log, memory } = options;
  const onDidUseNotification = notificationHandlerOf(system);
  return { extensionUri, sessions, tools, log, drafts: store.add(new DraftStore(memory)), onDidUseNotification };
}

/** Loads the code of "Show Waiting" and of the commands that answer on first use. */
function pendingRequestsOf({ sessions, worktrees }: UiDeps, chat: ChatPages): Ui['pendingRequests'] {
  const picker = new Lazy(async () => {
    const { PendingRequestPicker } = await import('./permissions/pendingRequestPicker');
    return new PendingRequestPicker(sessions, chat, ({ cwd }) => worktrees.around(cwd));
  });
  return {
    show: async () => (await picker.load()).show(),
    answerBy: async (...how) => (await picker.load()).answerBy(...how),
  };
}

/** The parts of a page that come from the editor, and an event for their changes. */
function editorStateOf(
  store: DisposableStore,
  { follow, log }: UiDeps,
): { now(): Partial<PageEnvironment>; readonly changes: readonly Event<unknown>[] } {
  const editor = store.add(new EditorContext(follow));
  const theme = store.add(new SyntaxTheme(log));
  return {
    now: () => omitUndefined({ editor: editor.current, tokens: theme.current }),
    changes: [editor.onDidChange, theme.onDidChange],
  };
}
