import { createHash } from 'node:crypto';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { InputForm } from './serverInputs';

/** Where a server of the user's is defined. */
export interface ServerOrigin {
  /** Unique, and the same in every window: `settings`, `profile`, `workspace`, `mcp.json:<folder>`. */
  readonly id: string;
  /** In words, after “defined by”: "your settings", "the folder “app”". */
  readonly words: string;
  /** The opened workspace brings it: nothing of it runs before the user has confirmed exactly that. */
  readonly isOfWorkspace: boolean;
}

/** A server that is started as a process. Texts may still hold `${input:NAME}`. */
export interface StdioStart {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; the first workspace folder when absent. */
  readonly cwd?: string;
}

/** A server that is reached at an address. Texts may still hold `${input:NAME}`. */
export interface RemoteStart {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ServerLaunch = StdioStart | RemoteStart;

/** One MCP server as the user's settings or files have it. */
export interface ServerDefinition {
  /** Its key there. */
  readonly name: string;
  readonly place: ServerOrigin;
  readonly start: ServerLaunch;
  /** `env` or `headers` as they are written, with `${env:NAME}`. */
  readonly written: Readonly<Record<string, string>>;
  /** What the user is asked for before it runs, by the names that stand as `${input:NAME}` in its texts. */
  readonly inputs: ReadonlyMap<string, InputForm>;
}

/**
 * Everything that decides what is run or reached. Variables and headers count as they are written: a workspace has no say in what the
 * user's own environment holds, which may be another every day.
 */
export function serverContent({ start, written }: ServerDefinition): string {
  const values = Object.entries(written).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return start.type === 'stdio'
    ? JSON.stringify(['stdio', start.command, start.args, start.cwd ?? null, values])
    : JSON.stringify([start.type, start.url, values]);
}

/** Names a server by where it is defined and what it is started by: with another command it is another server. */
export function serverIdentity(definition: ServerDefinition): string {
  return JSON.stringify([definition.place.id, definition.name, serverContent(definition)]);
}

/** Names one definition exactly: equal ones are equal servers. */
export function definitionKey(definition: ServerDefinition): string {
  const inputs = [...definition.inputs];
  return createHash('sha256')
    .update(JSON.stringify([definition.name, definition.place.id, serverContent(definition), definition.start, inputs]))
    .digest('hex');
}

/**
 * What would be run or reached, in full and with its hidden characters.
 * @param folder where it runs without a `cwd` of its own
 */
export function describeServer({ start, written }: ServerDefinition, folder: string): string[] {
  const named = Object.entries(written).map(([name, value]) => [name, value] as const);
  const lines =
    start.type === 'stdio'
      ? [
          t('Command: {0}', start.command),
          ...start.args.map((arg, index) => t('Argument {0}: {1}', index + 1, arg)),
          ...listed(t('Variables'), named, '='),
          t('Folder: {0}', start.cwd ?? folder),
        ]
      : [t('Address: {0}', start.url), ...listed(t('Headers'), named, ': ')];
  return lines.map(escapeInvisibleInline);
}

function listed(title: string, values: readonly (readonly [string, string])[], between: string): string[] {
  if (values.length === 0) return [t('{0}: none', title)];
  return [`${title}:`, ...values.map(([name, value]) => `  ${name}${between}${value}`)];
}
