import type { ToolServer } from '../toolServerTypes';
import { codeServer } from './code/codeServer';
import type { DebuggerDeps } from './debugger/debuggerServer';
import { debuggerServer } from './debugger/debuggerServer';
import type { EditorDeps } from './editor/editorServer';
import { editorServer } from './editor/editorServer';
import type { IdeDeps } from './ide/ideServer';
import { ideServer } from './ide/ideServer';
import type { NotebookDeps } from './notebook/notebookServer';
import { notebookServer } from './notebook/notebookServer';
import type { ProblemsDeps } from './problems/problemsServer';
import { problemsServer } from './problems/problemsServer';
import type { RefactorDeps } from './refactor/refactorServer';
import { refactorServer } from './refactor/refactorServer';
import type { TasksDeps } from './tasks/tasksServer';
import { tasksServer } from './tasks/tasksServer';
import type { TestsDeps } from './tests/testsServer';
import { testsServer } from './tests/testsServer';
import type { UserDeps } from './user/askUserServer';
import { userServer } from './user/askUserServer';

export type BuiltInDeps = ProblemsDeps &
  RefactorDeps &
  EditorDeps &
  TestsDeps &
  UserDeps &
  TasksDeps &
  DebuggerDeps &
  NotebookDeps &
  IdeDeps;

/** A built-in server and whether it is enabled by default. */
export interface BuiltInServer {
  readonly server: ToolServer;
  readonly isOn: boolean;
}

export function builtInServers(deps: BuiltInDeps): readonly BuiltInServer[] {
  return [
    { server: problemsServer(deps), isOn: true },
    { server: codeServer(), isOn: true },
    { server: refactorServer(deps), isOn: true },
    { server: editorServer(deps), isOn: true },
    { server: testsServer(deps), isOn: true },
    { server: userServer(deps), isOn: true },
    { server: tasksServer(deps), isOn: false },
    { server: debuggerServer(deps), isOn: false },
    { server: notebookServer(deps), isOn: false },
    { server: ideServer(deps), isOn: false },
  ];
}
