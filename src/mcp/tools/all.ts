import type { ToolServer } from '../toolServer';
import { codeServer } from './code';
import type { ProblemsDeps } from './problems';
import { problemsServer } from './problems';

/** What the built-in servers need of the window. */
export type BuiltInDeps = ProblemsDeps;

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
  ];
}
