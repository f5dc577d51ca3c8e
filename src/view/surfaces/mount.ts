import * as vscode from 'vscode';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Log } from '../../base/log';
import type { ViewSessions } from '../ports';
import { addChanges, addLines, addProblems, addToChat } from './addToChat';
import { askAgent } from './asking';
import type { SurfaceChat } from './chat';
import type { AsideAgent } from './commitMessage';
import { CommitMessage } from './commitMessage';
import { followFirstSteps, openWalkthrough } from './firstSteps';
import { mountLenses } from './lenses';
import { News } from './news';
import { problemActions } from './problems';

/** What the rest of the editor needs to reach the chat. */
export interface SurfacesDeps {
  readonly chat: SurfaceChat;
  readonly sessions: ViewSessions;
  readonly log: Log;
  readonly version: string;
  readonly extensionUri: vscode.Uri;
  /** What all windows share. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  /** `parley.codeLens` */
  codeLens(): boolean;
  readonly onDidChangeSettings: Event<void>;
  /** The agent of a new chat. */
  agent(): AsideAgent | undefined;
  /** Asks an agent outside any chat. */
  ask(agentName: string, question: string, signal: AbortSignal): Promise<string>;
}

/** The commands of the surfaces; each takes what the menu, lens or quick fix that it stands in hands over. */
export type SurfaceCommands = Readonly<
  Record<
    | 'fixWithAgent'
    | 'explain'
    | 'addToChat'
    | 'addChanges'
    | 'addTerminal'
    | 'addProblems'
    | 'writeCommitMessage'
    | 'showNews'
    | 'openWalkthrough',
    (...given: unknown[]) => Promise<void>
  >
>;

export interface MountedSurfaces extends Disposable {
  readonly commands: SurfaceCommands;
  readonly news: News;
}

/** The agent at hand where one works in the editor (experience.md, section 12), and the first steps with it. */
export function mountSurfaces(deps: SurfacesDeps): MountedSurfaces {
  const { chat, sessions, onDidChangeSettings } = deps;
  const store = new DisposableStore();
  const news = store.add(new News(deps));
  const commit = new CommitMessage(deps);
  store.add(problemActions());
  store.add(mountLenses({ enabled: () => deps.codeLens(), onDidChange: onDidChangeSettings }));
  store.add(followFirstSteps(sessions));
  const commands: SurfaceCommands = {
    fixWithAgent: (target, detail) => askAgent(chat, 'fix', target, detail),
    explain: (target, detail) => askAgent(chat, 'explain', target, detail),
    addToChat: (target, more) =>
      target instanceof vscode.Uri && more instanceof vscode.Range
        ? addLines(chat, target, more)
        : addToChat(chat, target, more),
    addChanges: (...targets) => addChanges(chat, targets),
    addTerminal: () => chat.attachTerminal(),
    addProblems: () => addProblems(chat),
    writeCommitMessage: (target) => commit.write(target),
    showNews: () => news.show(),
    openWalkthrough: () => openWalkthrough(),
  };
  return { commands, news, dispose: () => store.dispose() };
}
