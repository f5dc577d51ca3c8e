import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { VirtualFiles } from '../../workbench/virtualDocuments';
import type { BuiltInDeps } from './builtInServerList';
import { builtInServers } from './builtInServerList';
import { ProblemBaselines } from './problems/problemBaselines';
import { allProblems } from './problems/workspaceDiagnostics';
import { DebugSessionMonitor } from './debugger/debugSessionMonitor';
import { BackgroundRuns } from './common/backgroundRuns';
import { PROPOSED_SCHEME } from './editor/reviewDiffTool';
import type { TaskResult } from './tasks/taskProcess';
import type { TestResult } from './tests/runTests';
import type { ToolServers } from '../contract/toolServerRegistry';

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
