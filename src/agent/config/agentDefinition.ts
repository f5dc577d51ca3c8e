import type { AgentTools } from './agentToolSettings';

/** Where an agent listens that runs elsewhere. */
export interface RemoteAddress {
  readonly type: 'http' | 'ws';
  readonly url: string;
  /** Sent with every connection; values may hold `${input:NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How to start an agent: one entry of `parley.agents`, or a built-in. All values are resolved, no `${…}` is left but secrets. */
export interface AgentDefinition {
  /** The key in `parley.agents`. */
  readonly name: string;
  /** The name shown. */
  readonly title: string;
  readonly description: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of the secrets that stand as `${input:NAME}` in the values of `env`: the user is asked for them when it starts. */
  readonly inputs?: readonly string[];
  /** Set for an agent that runs elsewhere: it is connected to, not started, and `command`, `args` and `env` are empty. */
  readonly remote?: RemoteAddress;
  /** Absolute; the first workspace folder when absent. */
  readonly cwd?: string;
  /** What it is given of the tool servers, where its entry says anything about that. */
  readonly tools?: AgentTools;
  /** Where it is from when not from the settings: decides what a user is told to do when it fails. */
  readonly origin?: 'registry' | 'path' | 'builtIn';
  /** Set for an agent that the opened workspace defines: never started before the user has confirmed exactly this. */
  readonly workspace?: WorkspaceOrigin;
}

/** Where in a workspace an agent is defined. */
export interface WorkspaceOrigin {
  /** Its key there; the agent's own name says that it is the workspace's. */
  readonly name: string;
  /** In words: "this workspace", "the folder “app”". */
  readonly place: string;
  /** `env`, or `headers` of one that runs elsewhere, as they are written: with `${env:NAME}`. */
  readonly written: Readonly<Record<string, string>>;
}
