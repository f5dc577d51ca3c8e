import type { ToolServer } from '../toolServer';
import { codeServer } from './code';
import type { EditorDeps } from './editor';
import { editorServer } from './editor';
import type { ProblemsDeps } from './problems';
import { problemsServer } from './problems';
import type { RefactorDeps } from './refactor';
import { refactorServer } from './refactor';
import type { UserDeps } from './user';
import { userServer } from './user';

/** What the built-in servers need of the window. */
export type BuiltInDeps = ProblemsDeps & RefactorDeps & EditorDeps & UserDeps;

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
    { server: userServer(deps), isOn: true },
  ];
}
