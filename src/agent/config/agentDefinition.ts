import type { AgentTools } from './agentToolSettings';

/** Where a remote agent listens. */
export interface RemoteEndpoint {
  readonly type: 'http' | 'ws';
  readonly url: string;
  /** Sent with every connection; values may contain `${input:NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The program of an agent. */
export interface AgentProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute; the first workspace folder when absent. */
  readonly cwd?: string;
}

/**
 * How to start an agent: one entry of `parley.agents`, or a built-in. Values are resolved; only secrets remain as
 * `${input:NAME}`.
 */
export interface AgentDefinition extends AgentProgram {
  /** The key in `parley.agents`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Added to the environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of the secrets that `env` uses as `${input:NAME}`; the user enters them when the agent starts. */
  readonly inputs?: readonly string[];
  /** Set for a remote agent: Parley connects instead of starting a process; `command`, `args` and `env` are empty. */
  readonly remote?: RemoteEndpoint;
  /** Restricts the tool servers of this agent; absent when its entry sets neither `tools` nor `mcp`. */
  readonly tools?: AgentTools;
  /**
   * Source of a definition that is not from the settings; selects the advice shown after a failure. A `replay` of saved
   * traffic gets no files, terminals, tools and sign-in.
   */
  readonly origin?: 'registry' | 'path' | 'builtIn' | 'replay';
  /**
   * Set for an agent that the opened workspace defines. It never starts before the user has confirmed exactly this
   * content.
   */
  readonly workspace?: WorkspaceOrigin;
}

interface WorkspaceOrigin {
  /** The key in the workspace settings; the definition's own `name` is marked as the workspace's. */
  readonly name: string;
  /** For display: "this workspace", "the folder “app”". */
  readonly location: string;
  /** `env`, or `headers` of a remote agent, before substitution: with `${env:NAME}`. */
  readonly written: Readonly<Record<string, string>>;
}
