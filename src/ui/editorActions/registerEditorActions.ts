import type * as vscode from 'vscode';
import { DEMO_AGENT } from '../../agent/config/agentSettings';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { systemClock } from '../../base/clock';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { AgentPool } from '../../session/agents/agentPool';
import type { WelcomeIntent } from '../../shared/protocol/chatPageProtocol';
import { assertNever } from '../../base/assert';
import type { Attaching } from '../attachments/attachmentService';
import type { Pages } from '../chat/chatPages';
import type { ViewSessions } from '../uiTypes';
import type { SurfaceChat } from './chatTarget';
import type { AsideAgent, CommitMessage, CommitMessageOptions } from './commitMessage';
import { FirstSteps } from './walkthrough';
import { mountLenses } from './askAgentLenses';
import { News } from './whatsNew';
import type { Wish } from './problemPrompt';
import { problemActions } from './quickFixes';

/** What only the surfaces need of the outside; `app.ts` brings it. */
export interface SurfacesOptions {
  /** The processes of agents. */
  readonly running: AgentPool;
  /** Where agents work: absolute. */
  readonly cwd: () => string;
  /** Name of the agent of a new chat; undefined until one was chosen. */
  readonly initialAgent: () => string | undefined;
  /** Leaves an agent's session out of all lists. */
  readonly hide: (agentName: string, agentSessionId: string) => void;
  /** Of this extension. */
  readonly version: string;
  /** What all windows share. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  /** `parley.codeLens` */
  codeLens(): boolean;
}

export interface SurfacesDeps extends SurfacesOptions {
  readonly pages: Pages;
  readonly attaching: Attaching;
  readonly sessions: ViewSessions;
  readonly log: Logger;
  readonly extensionUri: vscode.Uri;
  readonly agents: () => readonly AgentDefinition[];
  readonly onDidChangeSettings: Event<void>;
}

/** The commands of the surfaces; each takes what the menu, lens or quick fix that it stands in hands over. */
export type SurfaceCommands = ReturnType<typeof commandsOf>;

export interface MountedSurfaces extends Disposable {
  readonly commands: SurfaceCommands;
  readonly news: News;
  /** What the person does in a chat without a message. */
  welcome(intent: WelcomeIntent): Promise<void>;
}

/** The agent at hand where one works in the editor (experience.md, section 12), and the first steps with it. */
export function mountSurfaces(deps: SurfacesDeps): MountedSurfaces {
  const { sessions, onDidChangeSettings } = deps;
  const chat = chatOf(deps);
  const store = new DisposableStore();
  const news = store.add(new News(deps));
  store.add(problemActions());
  store.add(mountLenses({ enabled: () => deps.codeLens(), onDidChange: onDidChangeSettings }));
  const firstSteps = store.add(new FirstSteps(sessions));
  const commands = commandsOf(chat, commitOf(deps), news, firstSteps);
  return { commands, news, welcome: (intent) => welcome(intent, news, firstSteps), dispose: () => store.dispose() };
}

/** What most of them do is read when one of them is first used. */
function commandsOf(chat: SurfaceChat, commit: () => Promise<CommitMessage>, news: News, firstSteps: FirstSteps) {
  const ask = async (wish: Wish, target: unknown, detail: unknown): Promise<void> => {
    const { askAgent } = await import('./askAgent');
    await askAgent(chat, wish, target, detail);
  };
  return {
    fixWithAgent: (target?: unknown, detail?: unknown) => ask('fix', target, detail),
    explain: (target?: unknown, detail?: unknown) => ask('explain', target, detail),
    addToChat: async (target?: unknown, more?: unknown) => (await import('./addToChat')).addToChat(chat, target, more),
    addChanges: async (...targets: unknown[]) => (await import('./addToChat')).addChanges(chat, targets),
    addProblems: async () => (await import('./addToChat')).addProblems(chat),
    addTerminal: () => chat.attachTerminal(),
    writeCommitMessage: async (target?: unknown) => (await commit()).write(target),
    showNews: () => news.show(),
    openWalkthrough: () => firstSteps.open(),
  } as const;
}

function welcome(intent: WelcomeIntent, news: News, firstSteps: FirstSteps): Promise<void> {
  switch (intent.type) {
    case 'openWalkthrough':
      return firstSteps.open();
    case 'showNews':
      return news.show();
    case 'dismissNews':
      return news.dismiss();
    default:
      return assertNever(intent);
  }
}

function chatOf({ pages, attaching }: SurfacesDeps): SurfaceChat {
  return {
    compose: (text, attachments) => pages.compose(text, attachments),
    attach: (attachments, remarks) => pages.attach(attachments, remarks),
    attachFiles: (uris) => attaching.attachChosen(uris),
    attachTerminal: () => attaching.attachTerminal(),
    allow: (uri) => attaching.allow(uri),
  };
}

function agentOf({ agents, initialAgent }: SurfacesDeps): AsideAgent | undefined {
  const name = initialAgent();
  const agent = agents().find((one) => one.name === name);
  return agent && { name: agent.name, title: agent.title, scripted: agent.name === DEMO_AGENT };
}

/** Read when it is first used: few do in every window. */
function commitOf(deps: SurfacesDeps): () => Promise<CommitMessage> {
  const { running, cwd, log, hide } = deps;
  const load = async (): Promise<CommitMessage> => {
    const [{ CommitMessage: Made }, { promptOnce }] = await Promise.all([
      import('./commitMessage'),
      import('../../session/agents/oneShotPrompt'),
    ]);
    const ask: CommitMessageOptions['ask'] = (agentName, question, signal) => {
      const opened = (agentSessionId: string): void => hide(agentName, agentSessionId);
      return promptOnce(question, { agents: running, agentName, cwd: cwd(), clock: systemClock, log, signal, opened });
    };
    const openChat = async (agentName: string): Promise<void> => {
      deps.sessions.newChat(agentName);
      await deps.pages.focus();
    };
    return new Made({ log, agent: () => agentOf(deps), openChat, ask });
  };
  let loaded: Promise<CommitMessage> | undefined;
  return () => (loaded ??= load());
}
