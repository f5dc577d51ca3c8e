import type * as vscode from 'vscode';
import { DEMO_AGENT } from '../../agent/config/agentSettings';
import { assertNever } from '../../base/assert';
import { systemClock } from '../../base/clock';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Memento } from '../../base/memento';
import type { AgentPool } from '../../session/agents/agentPool';
import type { LastUsedAgent } from '../../session/agents/lastUsedAgent';
import type { Sessions } from '../../session/sessions';
import type { WelcomeIntent } from '../../shared/protocol/chatPageProtocol';
import { openSettings } from '../../workbench/openSettings';
import { localFolders, workingFolder } from '../../workbench/workspaceFolders';
import type { AttachmentService } from '../attachments/attachmentService';
import type { ChatPages } from '../chat/chatPages';
import type { UiSettings } from '../uiTypes';
import type { ChatTarget } from './chatTarget';
import type { OneShotAgent, CommitMessage, CommitMessageOptions } from './commitMessage';
import type { ProblemRequest } from './problemPrompt';
import { Walkthrough } from './walkthrough';
import { WhatsNew } from './whatsNew';

/** Dependencies of the editor actions; created by `app.ts`. */
export interface EditorActionDeps {
  readonly lastUsed: Pick<LastUsedAgent, 'initialAgent'>;
  /** Removes an agent's session from all lists. */
  readonly hide: (agentName: string, agentSessionId: string) => void;
  /** Parley's version. */
  readonly version: string;
  /** Shared by all windows. */
  readonly memory: Memento;
}

interface EditorActionServices extends EditorActionDeps {
  readonly pages: ChatPages;
  readonly attachmentService: AttachmentService;
  readonly sessions: Sessions;
  readonly log: Logger;
  readonly extensionUri: vscode.Uri;
  readonly settings: UiSettings;
  readonly agentPool: AgentPool;
}

/** The commands of the editor actions; each takes the argument that its menu, code lens or quick fix passes. */
export type EditorActionCommands = ReturnType<typeof commandsOf>;

export interface EditorActions extends Disposable {
  readonly commands: EditorActionCommands;
  readonly whatsNew: WhatsNew;
  /** User actions in a chat without messages. */
  welcome(intent: WelcomeIntent): Promise<void>;
}

export function registerEditorActions(deps: EditorActionServices): EditorActions {
  const { sessions } = deps;
  const store = new DisposableStore();
  const whatsNew = store.add(new WhatsNew(deps.version, deps.extensionUri, deps.memory));
  const walkthrough = store.add(new Walkthrough(sessions));
  const commands = commandsOf(deps, commitOf(deps), whatsNew, walkthrough);
  return {
    commands,
    whatsNew,
    welcome: (intent) => welcome(intent, whatsNew, walkthrough),
    dispose: () => store.dispose(),
  };
}

/** Most implementations are loaded on first use. */
function commandsOf(chat: ChatTarget, commit: Lazy<CommitMessage>, whatsNew: WhatsNew, walkthrough: Walkthrough) {
  const ask = async (request: ProblemRequest, target: unknown, detail: unknown): Promise<void> => {
    const { askAgent } = await import('./askAgent');
    await askAgent(chat, request, target, detail);
  };
  return {
    fixWithAgent: (target?: unknown, detail?: unknown) => ask('fix', target, detail),
    explain: (target?: unknown, detail?: unknown) => ask('explain', target, detail),
    addToChat: async (target?: unknown, more?: unknown) => (await import('./addToChat')).addToChat(chat, target, more),
    addChanges: async (...targets: unknown[]) => (await import('./addToChat')).addChanges(chat, targets),
    addProblems: async () => (await import('./addToChat')).addProblems(chat),
    addTerminal: () => chat.attachmentService.attachTerminal(),
    writeCommitMessage: async (target?: unknown) => (await commit.load()).write(target),
    showNews: () => whatsNew.show(),
    openWalkthrough: () => walkthrough.open(),
    openSettings,
  } as const;
}

function welcome(intent: WelcomeIntent, whatsNew: WhatsNew, walkthrough: Walkthrough): Promise<void> {
  switch (intent.type) {
    case 'openWalkthrough':
      return walkthrough.open();
    case 'showNews':
      return whatsNew.show();
    case 'dismissNews':
      return whatsNew.dismiss();
    default:
      return assertNever(intent);
  }
}

function agentOf({ settings, lastUsed }: EditorActionServices): OneShotAgent | undefined {
  const name = lastUsed.initialAgent();
  const agent = settings.agents().find((one) => one.name === name);
  return agent && { name: agent.name, title: agent.title, isScripted: agent.name === DEMO_AGENT };
}

/** Loaded on first use, because few windows need it. */
function commitOf(deps: EditorActionServices): Lazy<CommitMessage> {
  const { agentPool: agents, log, hide } = deps;
  return new Lazy(async () => {
    const [{ CommitMessage: Made }, { repositoryFolder }, { promptOnce }] = await Promise.all([
      import('./commitMessage'),
      import('./commitPrompt'),
      import('../../session/agents/oneShotPrompt'),
    ]);
    const promptOutsideChat: CommitMessageOptions['promptOnce'] = (agentName, prompt, root, signal) => {
      const onDidOpen = (agentSessionId: string): void => hide(agentName, agentSessionId);
      const folder = repositoryFolder(root, localFolders()) ?? workingFolder();
      return promptOnce(prompt, {
        agents,
        agentName,
        cwd: folder,
        clock: systemClock,
        log,
        signal,
        onDidOpen,
      });
    };
    const openChat = async (agentName: string): Promise<void> => {
      deps.sessions.newChat(agentName);
      await deps.pages.focus();
    };
    return new Made({ log, agent: () => agentOf(deps), openChat, promptOnce: promptOutsideChat });
  });
}
