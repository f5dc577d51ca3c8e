import { omitUndefined } from '../base/json';
import type { ShownCall } from '../shared/state/toolCallState';
import { DEFAULT_SHELL, withRealPaths } from './permissionPolicy';
import type { RuleEngine } from './ruleEngine';
import type { RuleRequest } from './rules/ruleRequest';

/** Why all commands of a session need approval, even inside the workspace. */
export type Confinement = 'untrusted' | 'remote';

/** The session's part of a rule request. */
export interface RequestingSession {
  readonly agent: string;
  /** See `RuleRequest.agentIdentity`. */
  readonly agentIdentity?: string;
  /** Absolute; relative paths and commands start there. The first folder if undefined. */
  readonly cwd?: string;
  readonly folders: readonly string[];
  readonly confined: Confinement | undefined;
  /** The agent and its commands come with Parley: the commands need not be readable. */
  readonly isBuiltIn?: boolean;
}

/** Converts an agent's tool call; see `callRequest`. */
export function toRuleRequest(
  engine: RuleEngine,
  tool: ShownCall,
  title: string,
  session: RequestingSession,
): RuleRequest {
  const request = engine.callRequest(tool, title, { ...session, shell: DEFAULT_SHELL });
  return withRealPaths({ ...request, ...omitUndefined({ agentIdentity: session.agentIdentity }) });
}

/** What the arguments of a tool may name and run, for Parley's own request. */
export function toolArguments(
  engine: RuleEngine,
  input: unknown,
  { cwd, folders }: RequestingSession,
): ReturnType<RuleEngine['argumentFacts']> {
  return engine.argumentFacts(input, cwd ?? folders[0] ?? '/', DEFAULT_SHELL);
}
