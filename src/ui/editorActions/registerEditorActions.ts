import { assertNever } from '../../base/assert';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { WelcomeIntent } from '../../shared/protocol/chatPageProtocol';
import { openSettings } from '../../workbench/openSettings';
import type { Window } from '../window';
import type { CommitMessage } from './commitMessage';
import type { ProblemRequest } from './problemPrompt';
import { Walkthrough } from './walkthrough';
import type { WhatsNew } from './whatsNew';

export interface EditorActions extends Disposable {
  readonly editorActionCommands: EditorActionCommands;
  /** Attaches the editor's selection to the draft. */
  readonly addSelection: () => Promise<void>;
  /** User actions in a chat without messages. */
  welcome(intent: WelcomeIntent): Promise<void>;
}

/** The commands of the editor actions; each takes the argument that its menu, code lens or quick fix passes. */
type EditorActionCommands = ReturnType<typeof commandsOf>;

export function registerEditorActions(window: Window, whatsNew: WhatsNew): EditorActions {
  const walkthrough = new Walkthrough(window.sessions, window.chat.onDidAct);
  return {
    editorActionCommands: commandsOf(window, whatsNew, walkthrough),
    addSelection: () => window.attachments.addSelection(),
    welcome: (intent) => welcome(intent, whatsNew, walkthrough),
    dispose: () => walkthrough.dispose(),
  };
}

/** Most implementations are loaded on first use. */
function commandsOf(window: Window, whatsNew: WhatsNew, walkthrough: Walkthrough) {
  const { chat, attachments, agents, settings, sessions, log } = window;
  const to = { chat, attachments };
  const ask = async (request: ProblemRequest, target: unknown, detail: unknown): Promise<void> => {
    const { askAgent } = await import('./askAgent');
    await askAgent(to, request, target, detail);
  };
  const commit = new Lazy(async (): Promise<CommitMessage> => {
    const { CommitMessage: Loaded } = await import('./commitMessage');
    return new Loaded(agents, settings, sessions, chat, log);
  });
  return {
    fixWithAgent: (target?: unknown, detail?: unknown) => ask('fix', target, detail),
    explain: (target?: unknown, detail?: unknown) => ask('explain', target, detail),
    addToChat: async (target?: unknown, more?: unknown) => (await import('./addToChat')).addToChat(to, target, more),
    addChanges: async (...targets: unknown[]) => (await import('./addToChat')).addChanges(to, targets),
    addProblems: async () => (await import('./addToChat')).addProblems(to),
    addTerminal: () => attachments.attachTerminal(),
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
