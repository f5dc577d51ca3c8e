import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { PromptFileStore } from '../../session/promptFiles/promptFileStore';
import type { ScopedSettingsReader } from '../../session/settings/scopedSettings';
import { VirtualFiles } from '../../workbench/virtualDocuments';
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

/** What the built-in servers know about the editor and about sessions. */
export class BuiltInState implements Disposable {
  protected readonly store = new DisposableStore();
  readonly #changes = this.store.add(new Emitter<void>());
  readonly baselines = new ProblemBaselines();
  readonly taskRuns = this.store.add(new BackgroundRuns<TaskResult>());
  readonly testRuns = this.store.add(new BackgroundRuns<TestResult>());
  readonly debugSessions = this.store.add(new DebugSessionMonitor());
  readonly onDidChangeProblems = withoutPayload(this.store, vscode.languages.onDidChangeDiagnostics);
  readonly onDidChangeSelection = withoutPayload(this.store, vscode.window.onDidChangeTextEditorSelection);
  /** Fires for changes to review in any session. */
  readonly onDidChangeChanges: Event<void> = this.#changes.event;

  /** The changes to review in a session changed. */
  noteChanges(): void {
    this.#changes.fire();
  }

  /** Stores the list of problems for comparison. */
  noteTurnStart(sessionId: string): void {
    this.baselines.recordTurnStart(sessionId, allProblems());
  }

  closeSession(sessionId: string): void {
    for (const one of [this.baselines, this.taskRuns, this.testRuns]) one.closeSession(sessionId);
  }

  dispose(): void {
    this.store.dispose();
  }
}

/** The built-in servers, registered until disposed. */
export class BuiltInServers extends BuiltInState {
  readonly proposals = this.store.add(new VirtualFiles(PROPOSED_SCHEME, { isCaseSensitive: true }));

  constructor(
    registry: ToolServers,
    settings: ScopedSettingsReader<'tools.ide'>,
    agentEdit: AgentEdit,
    prompts: PromptFileStore,
    log: Logger,
  ) {
    super();
    for (const { server } of builtInServers(this, this.proposals, settings, agentEdit, prompts, log))
      this.store.add(registry.add(server, 'builtIn'));
  }
}

/** An event of VS Code without its payload. */
function withoutPayload<T>(store: DisposableStore, event: vscode.Event<T>): Emitter<void>['event'] {
  const emitter = store.add(new Emitter<void>());
  store.add(event(() => emitter.fire()));
  return emitter.event;
}

/** A built-in server and whether it is enabled by default. */
export interface BuiltInServer {
  readonly server: ToolServer;
  readonly isOn: boolean;
}

export function builtInServers(
  state: BuiltInState,
  proposals: VirtualFiles,
  settings: ScopedSettingsReader<'tools.ide'>,
  agentEdit: AgentEdit,
  prompts: PromptFileStore,
  log: Logger,
): readonly BuiltInServer[] {
  const { onDidChangeSelection, onDidChangeChanges } = state;
  // Only user settings: a workspace must not choose tools.
  const chosenTools = (): readonly string[] => settings.scoped('tools.ide').user ?? [];
  return [
    { server: problemsServer(state.baselines, state.onDidChangeProblems), isOn: true },
    { server: codeServer(), isOn: true },
    { server: refactorServer(agentEdit), isOn: true },
    { server: editorServer(agentEdit, proposals, onDidChangeSelection, onDidChangeChanges), isOn: true },
    { server: testsServer(state.testRuns, vscode.lm, log), isOn: true },
    { server: userServer(prompts), isOn: true },
    { server: tasksServer(state.taskRuns, log), isOn: false },
    { server: debuggerServer(state.debugSessions), isOn: false },
    { server: notebookServer(agentEdit), isOn: false },
    { server: ideServer(vscode.lm, chosenTools, settings.onDidChange), isOn: false },
  ];
}
