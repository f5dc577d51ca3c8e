import type { Event } from '../../base/event';
import type { Logger } from '../../base/logger';
import type { PromptFileStore } from '../../session/promptFiles/promptFileStore';
import type { McpSettings } from '../availability/toolFilterSettings';
import type { ToolServer } from '../contract/toolServerTypes';
import type { BackgroundRuns } from './common/backgroundRuns';
import type { DebugSessionMonitor } from './debugger/debugSessionMonitor';
import type { LanguageModelTools } from './ide/languageModelTools';
import type { ProblemBaselines } from './problems/problemBaselines';
import type { TaskResult } from './tasks/taskProcess';
import type { TestResult } from './tests/runTests';
import { codeServer } from './code/codeServer';
import { debuggerServer } from './debugger/debuggerServer';
import type { AgentEdit } from './common/applyWorkspaceEdit';
import type { VirtualFiles } from '../../workbench/virtualDocuments';
import { editorServer } from './editor/editorServer';
import { ideServer } from './ide/ideServer';
import { notebookServer } from './notebook/notebookServer';
import { problemsServer } from './problems/problemsServer';
import { refactorServer } from './refactor/refactorServer';
import { tasksServer } from './tasks/tasksServer';
import { testsServer } from './tests/testsServer';
import { userServer } from './user/askUserServer';

export interface BuiltInDeps {
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
