import type { ToolKind } from '../../shared/state/contentBlocks';

/** What the rules engine is asked, and what it answers. Plain data. */

/** How a command line is read: as bash does, or by the strict reader that serves PowerShell and cmd.exe alike. */
export type ShellKind = 'posix' | 'powershell';

/** What would be run: words that no shell looks at, or a line for a shell. Both absent: an execution that does not say what. */
export interface RuleCommand {
  readonly argv?: readonly string[];
  readonly line?: string;
  readonly shell?: ShellKind;
  /** Where it runs; the first folder when absent. Absolute. */
  readonly cwd?: string;
  /** Environment variables that it gets beside those that every command gets. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What an agent wants to do, as far as it is known. An agent may lie about `kind` and `title`. */
export interface RuleRequest {
  readonly kind: ToolKind;
  readonly title: string;
  /** Key of the agent in `parley.agents`. */
  readonly agent: string;
  /** `server__tool` of an MCP tool that Parley itself runs. What an agent says of its tool is in {@link called}. */
  readonly tool?: string;
  /** Titles and names by which the agent calls the tool: its own words, which may ask or deny and never allow. */
  readonly called?: readonly string[];
  /** Who asks, where it is not the session's agent: one client of the A2A gateway. */
  readonly caller?: string;
  /** The workspace is not trusted: no rule allows a command, which could run what lies there. */
  readonly isUntrusted?: true;
  readonly command?: RuleCommand;
  /** Every name of every file it touches: as the agent said it, and with symbolic links resolved. Absolute. */
  readonly paths: readonly string[];
  /** The workspace folders, as they were opened and with links resolved. Absolute. */
  readonly folders: readonly string[];
}

/** Whether a kind of tool call only looks at the files that it names. What says nothing of itself may write. */
export function isReadOnlyKind(kind: string): boolean {
  return kind === 'read' || kind === 'search' || kind === 'think' || kind === 'fetch';
}

/** Who or what has decided in the end. */
export type DecisionSource = Decision['by'] | 'person';

/** What happens with a request, and by what. */
export interface Decision {
  readonly decision: 'allow' | 'ask' | 'deny';
  /**
   * `agent`: nothing speaks about it, so the question stands as it was asked. `session`: what the user said earlier in this session.
   * `builtIn`: as Parley does it where nobody has said otherwise.
   */
  readonly by: 'rule' | 'protection' | 'agent' | 'session' | 'builtIn';
  /** One sentence for a user, such as `allowed by your rule {"command": "npm test"}`. */
  readonly reason: string;
  /** Why what would be run cannot be undone, in a few words. */
  readonly destructive?: string;
  /** Why it cannot be told what would be run or written. One sentence. */
  readonly unclear?: string;
  /** What it would do that no file of the workspace tells of: to other machines, programs, settings. One sentence. */
  readonly beyond?: string;
}
