import type { ToolServer } from '../toolServer';
import { codeServer } from './code';
import type { DebuggerDeps } from './debugger';
import { debuggerServer } from './debugger';
import type { EditorDeps } from './editor';
import { editorServer } from './editor';
import type { IdeDeps } from './ide';
import { ideServer } from './ide';
import type { NotebookDeps } from './notebook';
import { notebookServer } from './notebook';
import type { ProblemsDeps } from './problems';
import { problemsServer } from './problems';
import type { RefactorDeps } from './refactor';
import { refactorServer } from './refactor';
import type { TasksDeps } from './tasks';
import { tasksServer } from './tasks';
import type { TestsDeps } from './tests';
import { testsServer } from './tests';
import type { UserDeps } from './user';
import { userServer } from './user';

/** What the built-in servers need of the window. */
export type BuiltInDeps = ProblemsDeps &
  RefactorDeps &
  EditorDeps &
  TestsDeps &
  UserDeps &
  TasksDeps &
  DebuggerDeps &
  NotebookDeps &
  IdeDeps;

/** A server of Parley's own, and whether it is offered where the person has said nothing. */
export interface BuiltIn {
  readonly server: ToolServer;
  readonly isOn: boolean;
}

/** The servers that come with Parley (tool-servers.md, section 3). */
export function builtInServers(deps: BuiltInDeps): readonly BuiltIn[] {
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
