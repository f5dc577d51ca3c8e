import { createHash } from 'node:crypto';
import { sortedEntries } from '../../../base/json';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { InputForm } from './serverInputs';

export interface ServerOrigin {
  /** Unique and equal in every window: `settings`, `profile`, `workspace`, `mcp.json:<folder>`. */
  readonly id: string;
  /** Text after “Defined in”: "your settings", "the folder “app”". */
  readonly label: string;
  /** Defined by the workspace: the server starts only after the user has confirmed exactly this definition. */
  readonly isOfWorkspace: boolean;
  /** The workspace folder that defines it, absolute: `${workspaceFolder}`, and where processes without a `cwd` run. */
  readonly folder?: string;
  /** A file that some agents read themselves, by the name in `AgentQuirk.ownMcpFiles`. */
  readonly file?: string;
}

/** Strings may contain `${input:NAME}`. */
export interface StdioStart {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; if undefined, the folder that defines the server, else that of the session that needs it first. */
  readonly cwd?: string;
}

/** Strings may contain `${input:NAME}`. */
export interface RemoteStart {
  /** `http` also stands for a server of 2024 with SSE, unless a connection has shown which it is. */
  readonly type: 'http' | 'sse' | 'ws';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ServerLaunch = StdioStart | RemoteStart;

/** What an entry says about the tools of its server. */
export interface EntryTools {
  /** Milliseconds that a call may run without progress. */
  readonly timeout?: number;
  /** Names of the only tools for agents; all if undefined. */
  readonly include?: readonly string[];
  readonly exclude: readonly string[];
  /** Names of tools that the entry allows without asking, or `*`. Parley only offers rules for them. */
  readonly trusted: readonly string[];
}

/** One MCP server in the user's settings or files. */
export interface ServerDefinition {
  /** Key of the entry. */
  readonly name: string;
  readonly origin: ServerOrigin;
  readonly start: ServerLaunch;
  /** Only a URL is written: the server may be one of 2024 with SSE. */
  readonly mayBeSse?: boolean;
  /** `env` or `headers` before substitution of `${env:NAME}`. */
  readonly written: Readonly<Record<string, string>>;
  /** Required inputs by the names in `${input:NAME}`. */
  readonly inputs: ReadonlyMap<string, InputForm>;
  readonly tools?: EntryTools;
  /** Absolute path of a file with variables, which are not read yet. */
  readonly envFile?: string;
}

/**
 * Everything that decides what runs or is reached. Variables and headers count before substitution: values of the user's environment may
 * change from day to day and are not under the workspace's control.
 */
export function serverContent({ start, written }: ServerDefinition): string {
  const values = sortedEntries(written);
  return start.type === 'stdio'
    ? JSON.stringify(['stdio', start.command, start.args, start.cwd ?? null, values])
    : JSON.stringify([start.type, start.url, values]);
}

/** Identity by origin and launch: a server with another command is another server. */
export function serverIdentity(definition: ServerDefinition): string {
  return JSON.stringify([definition.origin.id, definition.name, serverContent(definition)]);
}

/** Equal definitions have equal keys. */
export function definitionKey(definition: ServerDefinition): string {
  const { name, origin, start, tools } = definition;
  const inputs = [...definition.inputs];
  return createHash('sha256')
    .update(JSON.stringify([name, origin.id, serverContent(definition), start, inputs, tools]))
    .digest('hex');
}

/**
 * The complete launch with hidden characters shown.
 * @param folder where it runs without a `cwd`
 */
export function describeServer({ start, written }: ServerDefinition, folder: string): string[] {
  const named = Object.entries(written).map(([name, value]) => [name, value] as const);
  const lines =
    start.type === 'stdio'
      ? [
          t('Command: {0}', start.command),
          ...start.args.map((arg, index) => t('Argument {0}: {1}', index + 1, arg)),
          ...titledLines(t('Variables'), named, '='),
          t('Folder: {0}', start.cwd ?? folder),
        ]
      : [t('URL: {0}', start.url), ...titledLines(t('Headers'), named, ': ')];
  return lines.map(escapeInvisibleInline);
}

function titledLines(title: string, values: readonly (readonly [string, string])[], between: string): string[] {
  if (values.length === 0) return [t('{0}: none', title)];
  return [`${title}:`, ...values.map(([name, value]) => `  ${name}${between}${value}`)];
}

/** Whether agents get only some tools of the server. */
export function isFiltered({ tools }: ServerDefinition): boolean {
  return tools !== undefined && (tools.include !== undefined || tools.exclude.length > 0);
}
