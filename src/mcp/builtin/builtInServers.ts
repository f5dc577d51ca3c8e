import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { VirtualFiles } from '../../workbench/virtualDocuments';
import { renderPrompt } from '../../session/promptFiles/expandPrompt';
import type { PromptFileStore } from '../../session/promptFiles/promptFileStore';
import type { McpSettings } from '../availability/toolFilterSettings';
import { builtInServers } from './builtInServerList';
import { ProblemBaselines } from './problems/problemBaselines';
import { allProblems } from './problems/workspaceDiagnostics';
import type { AgentEdit } from './common/applyWorkspaceEdit';
import { DebugSessionMonitor } from './debugger/debugSessionMonitor';
import { BackgroundRuns } from './common/backgroundRuns';
import { PROPOSED_SCHEME } from './editor/reviewDiffTool';
import type { TaskResult } from './tasks/taskProcess';
import type { TestResult } from './tests/runTests';
import type { ToolPrompt } from '../toolServerTypes';
import type { ToolServers } from '../toolServerRegistry';

export interface BuiltInsDeps {
  readonly log: Logger;
  readonly settings: McpSettings;
  readonly agentEdit: AgentEdit;
  readonly prompts: Pick<PromptFileStore, 'all' | 'onDidChange'>;
}

export interface BuiltInServers extends Disposable {
  readonly proposals: VirtualFiles;
  changesChanged(): void;
  /** Stores the list of problems for comparison. */
  turnStarted(sessionId: string): void;
  forget(sessionId: string): void;
}

/** Registers the built-in servers and creates their dependencies. */
export function registerBuiltIns(servers: ToolServers, deps: BuiltInsDeps): BuiltInServers {
  const { agentEdit, prompts, settings, log } = deps;
  const store = new DisposableStore();
  const baselines = new ProblemBaselines();
  const proposals = store.add(new VirtualFiles(PROPOSED_SCHEME, { isCaseSensitive: true }));
  const changes = store.add(new Emitter<void>());
  const taskRuns = store.add(new BackgroundRuns<TaskResult>());
  const testRuns = store.add(new BackgroundRuns<TestResult>());
  const made = builtInServers({
    baselines,
    proposals,
    agentEdit,
    onDidChangeProblems: withoutPayload(store, vscode.languages.onDidChangeDiagnostics),
    onDidChangeSelection: withoutPayload(store, vscode.window.onDidChangeTextEditorSelection),
    onDidChangeChanges: changes.event,
    prompts: () => promptsOf(prompts),
    onDidChangePrompts: prompts.onDidChange,
    log,
    taskRuns,
    testRuns,
    debugWatch: store.add(new DebugSessionMonitor()),
    languageModelTools: vscode.lm,
    // Only user settings: a workspace must not choose tools.
    chosenTools: () => settings.scoped('tools.ide').user ?? [],
    onDidChangeChosenTools: settings.onDidChange,
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

function promptsOf(prompts: Pick<PromptFileStore, 'all'>): readonly ToolPrompt[] {
  return prompts.all().flatMap((prompt) => {
    if ('problem' in prompt) return [];
    const { file, label } = prompt;
    return [
      {
        name: file.name,
        description: file.description || label,
        arguments: file.arguments,
        render: async (values: Readonly<Record<string, string>>) => renderPrompt(file, values),
      },
    ];
  });
}
