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
import type { ToolServers } from '../toolServerRegistry';

export type BuiltInsDeps = Pick<BuiltInDeps, 'log' | 'settings' | 'agentEdit' | 'prompts'>;

export interface BuiltInServers extends Disposable {
  readonly proposals: VirtualFiles;
  changesChanged(): void;
  /** Stores the list of problems for comparison. */
  turnStarted(sessionId: string): void;
  forget(sessionId: string): void;
}

/** Registers the built-in servers and creates their dependencies. */
export function registerBuiltIns(servers: ToolServers, deps: BuiltInsDeps): BuiltInServers {
  const store = new DisposableStore();
  const baselines = new ProblemBaselines();
  const proposals = store.add(new VirtualFiles(PROPOSED_SCHEME, { isCaseSensitive: true }));
  const changes = store.add(new Emitter<void>());
  const taskRuns = store.add(new BackgroundRuns<TaskResult>());
  const testRuns = store.add(new BackgroundRuns<TestResult>());
  const made = builtInServers({
    ...deps,
    baselines,
    proposals,
    onDidChangeProblems: withoutPayload(store, vscode.languages.onDidChangeDiagnostics),
    onDidChangeSelection: withoutPayload(store, vscode.window.onDidChangeTextEditorSelection),
    onDidChangeChanges: changes.event,
    taskRuns,
    testRuns,
    debugSessions: store.add(new DebugSessionMonitor()),
    languageModelTools: vscode.lm,
  });
  for (const { server } of made) store.add(servers.add(server, 'builtIn'));
  return {
    proposals,
    changesChanged: () => changes.fire(),
    turnStarted: (sessionId) => baselines.turnStarted(sessionId, allProblems()),
    forget: (sessionId) => {
      for (const kept of [baselines, taskRuns, testRuns]) kept.forget(sessionId);
    },
    dispose: () => store.dispose(),
  };
}

/** An event of VS Code without its payload. */
function withoutPayload<T>(store: DisposableStore, event: vscode.Event<T>): Emitter<void>['event'] {
  const emitter = store.add(new Emitter<void>());
  store.add(event(() => emitter.fire()));
  return emitter.event;
}
