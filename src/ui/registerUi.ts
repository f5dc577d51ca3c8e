import * as vscode from 'vscode';
import { DEMO_AGENT } from '../agent/config/agentSettings';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import { errorMessage } from '../base/errors';
import type { Event } from '../base/event';
import { omitUndefined } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { AgentSummary, PageEnvironment } from '../shared/protocol/chatPageProtocol';
import type { PageParts } from './chat/chatPage';
import { Drafts } from './chat/draftStore';
import { mountEntries } from './chat/content/contentActions';
import { Inbox } from './permissions/pendingRequestPicker';
import { Attaching } from './attachments/attachmentService';
import { EditorContext } from './attachments/activeEditorContext';
import type { InstallAgent } from './agents/installAgent';
import { Intents, useAgent } from './chat/intents/intentRouter';
import type { TargetParts } from './chat/intents/intentHandlers';
import { intentTargets } from './chat/intents/intentHandlers';
import { Notifications } from './permissions/permissionNotifications';
import { Pages } from './chat/chatPages';
import { PlaceCommands } from './chat/chatLocationCommands';
import type { ViewSession } from './uiTypes';
import { SessionCommands } from './sessions/sessionCommands';
import { SessionTree } from './sessions/sessionTree';
import type { PolicyView } from './permissions/registerPermissionViews';
import { mountPolicyView } from './permissions/registerPermissionViews';
import { signIn, signOut } from './agents/signInCommands';
import { Sounds } from './attentionSounds';
import { StatusBar } from './statusBar';
import type { MountedSurfaces, SurfaceCommands } from './editorActions/registerEditorActions';
import { mountSurfaces } from './editorActions/registerEditorActions';
import { ThemeColours } from './chat/syntaxTheme';
import { WorkspacePaths } from './attachments/workspaceFileIndex';
import { mountLinks } from './chatLinkHandler';
import type { WaitingRequest } from './permissions/pendingRequests';
import type { ViewOptions } from './uiDeps';

/** The parts that others use. */
export interface MountedView extends Disposable {
  readonly chat: Pages;
  readonly inbox: Inbox;
  readonly policyView: PolicyView;
  readonly sessionTree: SessionTree;
  readonly sessionCommands: SessionCommands;
  readonly placeCommands: PlaceCommands;
  readonly surfaceCommands: SurfaceCommands;
  readonly selectAgent: () => Promise<void>;
  readonly installAgent: () => Promise<void>;
  readonly showTools: () => Promise<void>;
  readonly refreshTools: () => void;
  /** Reads what is attached to messages. */
  readonly attaching: Pick<Attaching, 'read'>;
  /** Attaches what is selected in the editor to what is being written. */
  readonly addSelection: () => Promise<void>;
  /** The sign-in of the shown chat's agent. */
  readonly signIn: () => Promise<void>;
  readonly signOut: () => Promise<void>;
}

/** Builds the view: pages, status bar, notifications, inbox. */
export function mountView(options: ViewOptions): MountedView {
  const { sessions, catalog, log } = options;
  const store = new DisposableStore();
  const installAgent = installAgentOf(options);
  const paths = store.add(new WorkspacePaths(log));
  const attaching = attachingOf(options, paths, () => chat);
  const entries = store.add(mountEntries({ paths, edit: (...args) => options.edit(...args) }));
  const parts: TargetParts = { installAgent, attaching, entries, surfaces: () => surfaces };
  const intents = new Intents(intentTargets(options, store, parts), log);
  const beside = besideOf(store, log);
  const news = (): Partial<PageEnvironment> => omitUndefined({ news: surfaces.news.version });
  const surroundings = (): PageEnvironment => ({ ...surroundingsOf(options), ...beside.now(), ...news() });
  const chat: Pages = store.add(new Pages({ ...pagePartsOf(options, store), surroundings, handle: intents.handle }));
  const surfaces: MountedSurfaces = store.add(surfacesOf(options, chat, attaching));
  const reveal = (request: Pick<WaitingRequest, 'session' | 'entry'>): Promise<void> => chat.reveal(request);
  const sessionTree = store.add(new SessionTree(catalog));
  mountSigns(options, store, chat, sessionTree);
  const told = [surfaces.news.onDidChange, ...beside.changes, ...surroundingEvents(options)];
  for (const changed of told) store.add(changed(() => chat.surroundingsChanged()));
  return {
    chat,
    inbox: new Inbox({ sessions, reveal }),
    policyView: store.add(policyViewOf(options)),
    sessionTree,
    sessionCommands: new SessionCommands({ catalog, pages: chat }),
    placeCommands: new PlaceCommands({ pages: chat, catalog, sessions }),
    surfaceCommands: surfaces.commands,
    selectAgent: selectAgentOf(options, installAgent),
    installAgent: () => installAgent.show(),
    showTools: () => chat.showTools(),
    refreshTools: () => options.tools.refresh(),
    attaching,
    addSelection: () => attaching.addSelection(),
    signIn: () => signIn(sessions.active),
    signOut: () => signOut(sessions.active),
    dispose: () => store.dispose(),
  };
}

/** What tells the person of chats that they do not look at, and what leads to one. */
function mountSigns(options: ViewOptions, store: DisposableStore, chat: Pages, tree: SessionTree): void {
  const { sessions, catalog, log } = options;
  const reveal = (request: Pick<WaitingRequest, 'session' | 'entry'>): Promise<void> => chat.reveal(request);
  const isShown = (session: ViewSession): boolean => chat.isShown(session);
  store.add(new Notifications({ sessions, notify: () => options.notify(), isShown, reveal }));
  store.add(soundsOf(options, chat));
  store.add(new StatusBar({ sessions, catalog, onBadge: (badge) => chat.view.setBadge(badge, tree) }));
  const failed = (error: unknown): void =>
    log.error('view', `Could not tell of a session that went: ${errorMessage(error)}`);
  store.add(
    sessions.onDidGoElsewhere(
      (gone) => void import('./sessions/takeoverPrompt').then(({ tellGone }) => tellGone(gone)).catch(failed),
    ),
  );
  const fill = chat.fill.bind(chat);
  store.add(mountLinks({ sessions, log, agents: () => options.agents(), fill }));
}

function surroundingEvents({ onDidChangeSettings, installs, prompts, follow }: ViewOptions): Event<unknown>[] {
  return [onDidChangeSettings, installs.onDidChange, prompts.onDidChange, follow.onDidChange];
}

function attachingOf({ sessions, catalog, log }: ViewOptions, paths: WorkspacePaths, chat: () => Pages): Attaching {
  return new Attaching({
    sessions,
    log,
    paths,
    earlier: () => catalog.items().filter(({ isOurs }) => isOurs),
    transcript: (id) => catalog.transcript(id),
    attach: (attachments, remarks) => chat().attach(attachments, remarks),
  });
}

function surfacesOf(options: ViewOptions, pages: Pages, attaching: Attaching): MountedSurfaces {
  const { sessions, log, extensionUri, onDidChangeSettings, surfaces } = options;
  const agents = (): readonly AgentDefinition[] => options.agents();
  return mountSurfaces({ ...surfaces, pages, attaching, sessions, log, extensionUri, onDidChangeSettings, agents });
}

function policyViewOf({ extensionUri, log, policy, sessions }: ViewOptions): PolicyView {
  const { audit, remembered } = policy;
  const rules = { remembered, settings: () => policy.rules(), sessions };
  return mountPolicyView({ extensionUri, log, audit, rules });
}

function pagePartsOf(options: ViewOptions, store: DisposableStore): Omit<PageParts, 'surroundings' | 'handle'> {
  const { extensionUri, sessions, tools, log, memory } = options;
  return { extensionUri, sessions, tools, log, drafts: store.add(new Drafts(memory)) };
}

function soundsOf(options: ViewOptions, chat: Pages): Sounds {
  return new Sounds({
    sessions: options.sessions,
    enabled: () => options.sound(),
    focused: () => vscode.window.state.focused,
    play: (sound) => chat.playSound(sound),
  });
}

function selectAgentOf(options: ViewOptions, installAgent: Pick<InstallAgent, 'show' | 'add'>): () => Promise<void> {
  return async () => {
    const { selectAgent } = await import('./agents/selectAgent');
    await selectAgent(options.sessions, options.agents(), options.installs.found(), installAgent);
  };
}

/** Read when it is first used. */
function installAgentOf(options: ViewOptions): Pick<InstallAgent, 'show' | 'add'> {
  const { installs, log, sessions, registry } = options;
  const load = async (): Promise<InstallAgent> => {
    const { InstallAgent } = await import('./agents/installAgent');
    return new InstallAgent({
      installs,
      log,
      registry: () => registry.decide(),
      useAgent: (name) => useAgent(sessions.active, name, (agent) => sessions.newChat(agent)),
      stopAgent: (name) => options.stopAgent(name),
      showLog: () => options.showLog(),
    });
  };
  return { show: async () => (await load()).show(), add: async (id) => (await load()).add(id) };
}

function choiceOf({ name, title, description }: AgentDefinition): AgentSummary {
  const choice = { name, title, description };
  return name === DEMO_AGENT ? { ...choice, builtIn: true } : choice;
}

/** What is around the page in the editor, and when that changes. */
function besideOf(
  store: DisposableStore,
  log: Logger,
): { now(): Partial<PageEnvironment>; readonly changes: readonly Event<unknown>[] } {
  const editor = store.add(new EditorContext());
  const theme = store.add(new ThemeColours(log));
  return {
    now: () => omitUndefined({ editor: editor.current, tokens: theme.current }),
    changes: [editor.onDidChange, theme.onDidChange],
  };
}

function surroundingsOf(options: ViewOptions): PageEnvironment {
  const found = options.installs.found();
  return {
    agents: options.agents().map(choiceOf),
    found: found.map(({ id, title, path, args }) => ({ name: id, title, description: [path, ...args].join(' ') })),
    trusted: vscode.workspace.isTrusted,
    prompts: options.prompts.commands(),
    follow: options.follow.status,
    thoughts: options.thoughts(),
    // In a remote window this process does not run on the computer the person sits at.
    mac: process.platform === 'darwin' && vscode.env.remoteName === undefined,
  };
}
