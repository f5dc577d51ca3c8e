import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { PromptFileStore } from '../../session/promptFiles/promptFileStore';
import { VirtualFiles } from '../../workbench/virtualDocuments';
import type { McpSettings } from '../availability/toolFilterSettings';
import type { ToolServers } from '../contract/toolServerRegistry';
import type { ToolServer } from '../contract/toolServerTypes';
import { codeServer } from './code/codeServer';
import type { AgentEdit } from './common/applyWorkspaceEdit';
import { BackgroundRuns } from './common/backgroundRuns';
import { debuggerServer } from './debugger/debuggerServer';
import { DebugSessionMonitor } from './debugger/debugSessionMonitor';
import { editorServer } from './editor/editorServer';
import { PROPOSED_SCHEME } from './editor/reviewDiffTool';
import { ideServer } from './ide/ideServer';
import type { LanguageModelTools } from './ide/languageModelTools';
import { notebookServer } from './notebook/notebookServer';
import { ProblemBaselines } from './problems/problemBaselines';
import { problemsServer } from './problems/problemsServer';
import { allProblems } from './problems/workspaceDiagnostics';
import { refactorServer } from './refactor/refactorServer';
import type { TaskResult } from './tasks/taskProcess';
import { tasksServer } from './tasks/tasksServer';
import type { TestResult } from './tests/runTests';
import { testsServer } from './tests/testsServer';
import { userServer } from './user/askUserServer';

export type BuiltInsDeps = Pick<BuiltInDeps, 'log' | 'settings' | 'agentEdit' | 'prompts'>;

/** The built-in servers, registered until disposed, and their dependencies. */
export class BuiltInServers implements Disposable {
  readonly #store = new DisposableStore();
  readonly #baselines = new ProblemBaselines();
  readonly #changes = this.#store.add(new Emitter<void>());
  readonly #taskRuns = this.#store.add(new BackgroundRuns<TaskResult>());
  readonly #testRuns = this.#store.add(new BackgroundRuns<TestResult>());
  readonly proposals = this.#store.add(new VirtualFiles(PROPOSED_SCHEME, { isCaseSensitive: true }));

  constructor(servers: ToolServers, deps: BuiltInsDeps) {
    const builtIns = builtInServers({
      ...deps,
      baselines: this.#baselines,
      proposals: this.proposals,
      onDidChangeProblems: withoutPayload(this.#store, vscode.languages.onDidChangeDiagnostics),
      onDidChangeSelection: withoutPayload(this.#store, vscode.window.onDidChangeTextEditorSelection),
      onDidChangeChanges: this.#changes.event,
      taskRuns: this.#taskRuns,
      testRuns: this.#testRuns,
      debugSessions: this.#store.add(new DebugSessionMonitor()),
      languageModelTools: vscode.lm,
    });
    for (const { server } of builtIns) this.#store.add(servers.add(server, 'builtIn'));
  }

  /** The changes to review in a session changed. */
  noteChanges(): void {
    this.#changes.fire();
  }

  /** Stores the list of problems for comparison. */
  noteTurnStart(sessionId: string): void {
    this.#baselines.recordTurnStart(sessionId, allProblems());
  }

  closeSession(sessionId: string): void {
    for (const one of [this.#baselines, this.#taskRuns, this.#testRuns]) one.closeSession(sessionId);
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** An event of VS Code without its payload. */
function withoutPayload<T>(store: DisposableStore, event: vscode.Event<T>): Emitter<void>['event'] {
  const emitter = store.add(new Emitter<void>());
  store.add(event(() => emitter.fire()));
  return emitter.event;
}

interface BuiltInDeps {
  readonly agentEdit: AgentEdit;
  readonly proposals: VirtualFiles;
  readonly onDidChangeSelection: Event<void>;
  /** Fires for changes to review in any session. */
  readonly onDidChangeChanges: Event<void>;
  readonly baselines: ProblemBaselines;
  readonly onDidChangeProblems: Event<void>;
  readonly prompts: Pick<PromptFileStore, 'all' | 'onDidChange'>;
  readonly settings: McpSettings;
  readonly log: Logger;
  readonly taskRuns: BackgroundRuns<TaskResult>;
  readonly testRuns: BackgroundRuns<TestResult>;
  readonly debugSessions: DebugSessionMonitor;
  readonly languageModelTools: LanguageModelTools;
}

/** A built-in server and whether it is enabled by default. */
export interface BuiltInServer {
  readonly server: ToolServer;
  readonly isOn: boolean;
}

export function builtInServers(deps: BuiltInDeps): readonly BuiltInServer[] {
  const { settings, agentEdit, proposals, onDidChangeSelection, onDidChangeChanges } = deps;
  // Only user settings: a workspace must not choose tools.
  const chosenTools = (): readonly string[] => settings.scoped('tools.ide').user ?? [];
  return [
    { server: problemsServer(deps.baselines, deps.onDidChangeProblems), isOn: true },
    { server: codeServer(), isOn: true },
    { server: refactorServer(agentEdit), isOn: true },
    { server: editorServer(agentEdit, proposals, onDidChangeSelection, onDidChangeChanges), isOn: true },
    { server: testsServer(deps.testRuns, deps.languageModelTools, deps.log), isOn: true },
    { server: userServer(deps.prompts), isOn: true },
    { server: tasksServer(deps.taskRuns, deps.log), isOn: false },
    { server: debuggerServer(deps.debugSessions), isOn: false },
    { server: notebookServer(agentEdit), isOn: false },
    { server: ideServer(deps.languageModelTools, chosenTools, settings.onDidChange), isOn: false },
  ];
}
