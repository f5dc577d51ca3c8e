import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/definition';
import type { AgentInstalls } from '../agent/registry/agentInstalls';
import type { Event } from '../base/event';
import { present } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { Notify } from '../base/settings';
import type { FollowStatus, ReviewIntent, Surroundings } from '../shared/messages';
import { CHAT_VIEW, ChatView } from './chatView';
import type { AuditSource } from './auditView';
import { DiffDocuments } from './diffDocuments';
import { openExactly } from './externalAddress';
import { Inbox } from './inbox';
import { Attaching } from './attaching';
import { EditorContext } from './editorContext';
import { InstallAgent } from './installAgent';
import type { IntentTargets } from './intents';
import { Intents, useAgent } from './intents';
import { openFile, openLink } from './links';
import { Notifications } from './notifications';
import type { ViewSession, ViewSessions } from './ports';
import type { RegistryAddress } from './registryAddress';
import type { SessionCatalog } from '../session/catalog';
import type { RuleStore } from '../session/rules/store';
import type { SettingsRules } from './rulesList';
import type { Prompts } from '../session/prompts';
import { SessionCommands } from './sessionCommands';
import { SessionTree } from './sessionTree';
import type { PolicyView } from './policyMount';
import { mountPolicyView } from './policyMount';
import { remember } from './remember';
import { selectAgent } from './selectAgent';
import { signIn, signOut } from './signIn';
import { Sounds } from './sounds';
import { StatusBar } from './statusBar';
import type { ViewTools } from './toolsFeed';
import { ToolsFeed } from './toolsFeed';
import { WorkspacePaths } from './workspacePaths';
import { mountLinks } from './uriHandler';
import type { WaitingRequest } from './waiting';

/** What the room needs from the outside; `app.ts` brings it. */
export interface ViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly sessions: ViewSessions;
  readonly catalog: SessionCatalog;
  readonly log: Log;
  agents(): readonly AgentDefinition[];
  readonly installs: AgentInstalls;
  readonly registry: RegistryAddress;
  /** Ends the process of an agent. */
  stopAgent(name: string): Promise<void>;
  notify(): Notify;
  /** `parley.sound` */
  sound(): boolean;
  /** What decides about requests, and what was decided. */
  readonly policy: { readonly audit: AuditSource; readonly remembered: RuleStore; rules(): SettingsRules };
  /** Fires when `agents()` may have changed. */
  readonly onDidChangeSettings: Event<void>;
  /** Ends a command that an agent runs. */
  stopCommand(session: ViewSession, terminalId: string): void;
  /** Shows the output of such a command in a terminal; false when nothing is known of it. */
  showTerminal(session: ViewSession, terminalId: string): boolean;
  showLog(): void;
  /** Carries out what the person wants about changed files and checkpoints of a session. */
  review(session: ViewSession, intent: ReviewIntent): Promise<void>;
  /** The tool servers that agents are offered. */
  readonly tools: ViewTools;
  /** The person's prompt files. */
  readonly prompts: Pick<Prompts, 'commands' | 'onDidChange'>;
  readonly follow: { readonly status: FollowStatus; toggle(): Promise<void>; readonly onDidChange: Event<unknown> };
}

/** The parts that others use. */
export interface MountedView extends Disposable {
  readonly chat: ChatView;
  readonly inbox: Inbox;
  readonly policyView: PolicyView;
  readonly sessionTree: SessionTree;
  readonly sessionCommands: SessionCommands;
  readonly selectAgent: () => Promise<void>;
  readonly installAgent: () => Promise<void>;
  readonly showTools: () => Promise<void>;
  readonly refreshTools: () => void;
  /** Attaches what is selected in the editor to what is being written. */
  readonly addSelection: () => Promise<void>;
  /** The sign-in of the shown chat's agent. */
  readonly signIn: () => Promise<void>;
  readonly signOut: () => Promise<void>;
}

/** Builds the view: page, status bar, notifications, inbox. */
export function mountView(options: ViewOptions): MountedView {
  const { extensionUri, sessions, log } = options;
  const store = new DisposableStore();
  const installAgent = installAgentOf(options);
  const toolsFeed = store.add(new ToolsFeed({ ...options, post: (tools) => chat.tools(tools) }));
  const attaching = attachingOf(options, store, () => chat);
  const intents = new Intents(sessions, targets(options, store, { installAgent, toolsFeed, attaching }), log);
  const context = store.add(new EditorContext());
  const surroundings = (): Surroundings => ({ ...surroundingsOf(options), ...present({ editor: context.current }) });
  const chat: ChatView = store.add(new ChatView({ extensionUri, sessions, intents, surroundings, log }));
  // The page is rebuilt from a snapshot whenever it is shown (I2): a hidden one costs neither memory nor time.
  const webviewOptions = { retainContextWhenHidden: false };
  store.add(vscode.window.registerWebviewViewProvider(CHAT_VIEW, chat, { webviewOptions }));
  const reveal = (request: Pick<WaitingRequest, 'session' | 'entry'>): Promise<void> => chat.reveal(request);
  const isShown = (session: ViewSession): boolean => chat.visible && sessions.active === session;
  store.add(new Notifications({ sessions, notify: () => options.notify(), isShown, reveal }));
  store.add(soundsOf(options, chat));
  store.add(new StatusBar({ sessions, onWaiting: (count) => chat.setWaiting(count) }));
  const sessionTree = store.add(new SessionTree(options.catalog));
  const fill = chat.fill.bind(chat);
  store.add(mountLinks({ sessions, log, agents: () => options.agents(), fill }));
  const { onDidChangeSettings, installs, prompts, follow } = options;
  const told = [installs.onDidChange, prompts.onDidChange, follow.onDidChange, context.onDidChange];
  for (const changed of [onDidChangeSettings, ...told]) store.add(changed(() => chat.surroundingsChanged()));
  return {
    chat,
    inbox: new Inbox({ sessions, reveal }),
    policyView: store.add(policyViewOf(options)),
    sessionTree,
    sessionCommands: new SessionCommands({ catalog: options.catalog, focusChat: () => chat.focus() }),
    selectAgent: () => selectAgent(sessions, options.agents(), options.installs.found(), installAgent),
    installAgent: () => installAgent.show(),
    showTools: () => chat.showTools(),
    refreshTools: () => options.tools.refresh(),
    addSelection: () => attaching.addSelection(),
    signIn: () => signIn(sessions.active),
    signOut: () => signOut(sessions.active),
    dispose: () => store.dispose(),
  };
}

function attachingOf({ sessions, catalog, log }: ViewOptions, store: DisposableStore, chat: () => ChatView): Attaching {
  return new Attaching({
    sessions,
    log,
    paths: store.add(new WorkspacePaths(log)),
    earlier: () => catalog.items().filter(({ isOurs }) => isOurs),
    transcript: (id) => catalog.transcript(id),
    chat: {
      mentions: (id, mentions) => chat().mentions(id, mentions),
      attach: (attachments, remarks) => chat().attach(attachments, remarks),
      refuse: (refused) => chat().refuse(refused),
    },
  });
}

function policyViewOf({ extensionUri, log, policy, sessions }: ViewOptions): PolicyView {
  const { audit, remembered } = policy;
  const rules = { remembered, settings: () => policy.rules(), sessions };
  return mountPolicyView({ extensionUri, log, audit, rules });
}

function soundsOf(options: ViewOptions, chat: ChatView): Sounds {
  return new Sounds({
    sessions: options.sessions,
    enabled: () => options.sound(),
    focused: () => vscode.window.state.focused,
    play: (sound) => chat.playSound(sound),
  });
}

function installAgentOf(options: ViewOptions): InstallAgent {
  const { installs, log, sessions, registry } = options;
  return new InstallAgent({
    installs,
    log,
    registry: () => registry.decide(),
    useAgent: (name) => useAgent(sessions, name),
    stopAgent: (name) => options.stopAgent(name),
    showLog: () => options.showLog(),
  });
}

function targets(
  options: ViewOptions,
  store: DisposableStore,
  {
    installAgent,
    toolsFeed,
    attaching,
  }: Pick<IntentTargets, 'attaching'> & { installAgent: InstallAgent; toolsFeed: ToolsFeed },
): IntentTargets {
  const diffs = store.add(new DiffDocuments(options.sessions));
  return {
    openLink: (session, href) => openLink(href, session.folders),
    openFile: (session, path, line) => openFile(path, session.folders, line === undefined ? {} : { line }),
    openDiff: (session, diffId) => diffs.open(session, diffId),
    stopCommand: (session, terminalId) => options.stopCommand(session, terminalId),
    showTerminal: (session, terminalId) => {
      if (options.showTerminal(session, terminalId)) return;
      void vscode.window.showInformationMessage('The output of this command was not kept.');
    },
    review: (session, intent) => options.review(session, intent),
    toggleFollow: () => options.follow.toggle(),
    watchTools: (open) => toolsFeed.watch(open),
    switchTools: (server, on) => options.tools.switchServer(server, on),
    refreshTools: () => options.tools.refresh(),
    copy: async (text) => vscode.env.clipboard.writeText(text),
    manageTrust: async () => vscode.commands.executeCommand('workbench.trust.manage'),
    openSettings: async () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:parley.parley'),
    showLog: () => options.showLog(),
    attaching,
    installAgent: () => installAgent.show(),
    addAgent: (name) => installAgent.add(name),
    signIn: (session) => signIn(session),
    remember,
    openElicitation: async (session, elicitationId) => {
      const address = session.elicitations.address(elicitationId);
      if (address === undefined) return;
      if (await openExactly(address)) session.elicitations.answer(elicitationId, { action: 'accept' });
    },
  };
}

function surroundingsOf(options: ViewOptions): Surroundings {
  const found = options.installs.found();
  return {
    agents: options.agents().map(({ name, title, description }) => ({ name, title, description })),
    found: found.map(({ id, title, path, args }) => ({ name: id, title, description: [path, ...args].join(' ') })),
    trusted: vscode.workspace.isTrusted,
    prompts: options.prompts.commands(),
    follow: options.follow.status,
    // In a remote window this process does not run on the computer the person sits at.
    mac: process.platform === 'darwin' && vscode.env.remoteName === undefined,
  };
}
