import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/json';
import type { ToolKind } from '../../shared/state/contentBlocks';

/** Input and output of the rule engine. Plain data. */

/** The syntax of a command line: bash, or the strict common subset of PowerShell and cmd.exe. */
export type ShellKind = 'posix' | 'powershell';

/** What would be run: arguments without a shell, or a line for a shell. Both absent: an unspecified execution. */
export interface RuleCommand {
  readonly argv?: readonly string[];
  readonly line?: string;
  readonly shell?: ShellKind;
  /** Absolute; {@link RuleRequest.cwd} when absent. */
  readonly cwd?: string;
  /** Environment variables besides the usual ones. */
  readonly env?: Readonly<Record<string, string>>;
}

/** As {@link RuleRequest.subject}, for a whole command line. */
export function commandSubject({ argv, line, env }: RuleCommand): string {
  return createHash('sha256')
    .update(canonicalJson([line ?? argv, env ?? {}]))
    .digest('hex');
}

/** The known parts of an agent's request. `kind` and `title` are untrusted. */
export interface RuleRequest {
  readonly kind: ToolKind;
  readonly title: string;
  /** Key of the agent in `parley.agents`. */
  readonly agent: string;
  /** What is started or reached under this key now. Absent if unknown. */
  readonly agentIdentity?: string;
  /** `server__tool` of an MCP tool that Parley itself runs. The agent's own names of a tool are in {@link called}. */
  readonly tool?: string;
  /** What is behind {@link tool}: its definition and that of its server. Absent for Parley's own tools. */
  readonly toolIdentity?: string;
  /** Titles and names that the agent uses for the tool. They are untrusted: `ask` and `deny` rules match them, `allow` rules do not. */
  readonly called?: readonly string[];
  /** The caller, if not the session's agent: one client of the A2A gateway. */
  readonly caller?: string;
  /** The workspace is not trusted: no rule allows a command, because it could run files of the workspace. */
  readonly isUntrusted?: true;
  /** Why the request cannot be read as exactly one action: no rule allows it, and its approval covers nothing else. */
  readonly unclear?: string;
  /** Absolute names of what the arguments may name besides {@link paths}: protections, `ask` and `deny` rules look at them. */
  readonly possiblePaths?: readonly string[];
  /** The tool asks about the files that it reads, so that protections need not look at {@link possiblePaths}. */
  readonly isOwnRead?: true;
  /** What the arguments may run: `ask` and `deny` rules look at them. */
  readonly possibleCommands?: readonly RuleCommand[];
  /** There are more than {@link possibleCommands}: requests ask if a rule restricts commands. */
  readonly hasMoreCommands?: true;
  readonly command?: RuleCommand;
  /** What the title of an execution without a command may run, as the request shows it. No rule allows it; its danger counts. */
  readonly titleCommand?: RuleCommand;
  /** The command is only a part of a tool's arguments: rules that allow the command do not allow the call. */
  readonly hasMore?: true;
  /** It calls a tool of a server, or may do so: its command and files may be on another machine, or in a container. */
  readonly isToolCall?: true;
  /** Hash of the arguments, the changes and everything else that a request without a command shows. */
  readonly subject?: string;
  /** Hash of the tool's arguments alone: the same in the agent's request and in Parley's own about this call. */
  readonly argsHash?: string;
  /** All absolute names of all files: as the agent wrote them, and with symbolic links resolved. */
  readonly paths: readonly string[];
  /** Files whose content the command prints from a git repository, with their names there; `unknown` if git cannot tell. */
  readonly printed?: readonly { readonly path: string; readonly name: string }[] | 'unknown';
  /** There were too many files: links of the last ones are not resolved. */
  readonly hasUnresolved?: true;
  /** The absolute workspace folders, as opened and with links resolved. */
  readonly folders: readonly string[];
  /** The folder of the session, absolute; the first of {@link folders} when absent. It does not decide what is inside the workspace. */
  readonly cwd?: string;
  /** The names of {@link cwd} when it is below a workspace folder: relative rules apply to it, too. */
  readonly subfolders?: readonly string[];
}

/** Where the request's command runs. Without a workspace nothing is inside, and no folder is known. */
export function commandFolder({ command, cwd, folders }: RuleRequest): string | undefined {
  return command?.cwd ?? (folders.length > 0 ? cwd : undefined) ?? folders[0];
}

/** Whether a kind of tool call only reads its files. An unspecified kind may write. */
export function isReadOnlyKind(kind: string): boolean {
  return kind === 'read' || kind === 'search' || kind === 'think' || kind === 'fetch';
}

/** Whether a kind is about files, so that its texts are no commands. */
export function isFileKind(kind: string): boolean {
  return kind === 'edit' || kind === 'delete' || kind === 'move' || isReadOnlyKind(kind);
}

/** The source of the final decision. */
export type DecisionSource = Decision['by'] | 'person';

/** The decision about a request, and its source. */
export interface Decision {
  readonly decision: 'allow' | 'ask' | 'deny';
  /**
   * `agent`: no rule applies, so the agent's request is shown. `session`: an earlier answer in this session. `builtIn`:
   * Parley's default without a rule.
   */
  readonly by: 'rule' | 'protection' | 'agent' | 'session' | 'builtIn';
  /** One sentence for the user: `allowed by your rule “command npm test”`. */
  readonly reason: string;
  /** Why the command's effect cannot be undone, as a short text. */
  readonly destructive?: string;
  /** Why it is unknown what would be run or written. One sentence. */
  readonly unclear?: string;
  /** Effects outside the workspace's files: on other machines, programs, settings. One sentence. */
  readonly outsideEffect?: string;
}
