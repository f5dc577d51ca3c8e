import { urlProblem, headerProblem } from '../../agent/config/remoteAgentSettings';
import { t } from '../../base/l10n';
import type { Fields, Schema } from '../../base/schema';
import { optional, recordOf, SchemaError, string } from '../../base/schema';
import type { SettingReader } from '../../base/settings';
import { namedEntries } from '../../base/settings';

/** One entry of `parley.a2a.targets` or `parley.a2a.agents`, before substitution of variables in headers. */
export interface A2aAddress {
  readonly url: string;
  /** Targets only: restricts requests to this path. */
  readonly path?: string;
  /** Values may contain `${env:NAME}` and `${input:NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
}

export type A2aAddresses = Readonly<Record<string, A2aAddress>>;

type Entry = A2aAddress & { readonly name: string };

const url: Schema<string> = (value, at) => {
  const problem = urlProblem('http', string(value, at));
  if (problem === undefined) return value as string;
  throw new SchemaError(at, problem);
};

const path: Schema<string> = (value, at) => {
  if (typeof value === 'string' && /^\/(?!\/)[^?#\\]*$/.test(value)) return value;
  throw new SchemaError(at, t('a path such as "/mcp"'), value);
};

const headers: Schema<A2aAddress['headers']> = (value = {}, at) => {
  const read = recordOf(string)(value, at);
  for (const [name, text] of Object.entries(read)) {
    const problem = headerProblem(name, text);
    if (problem !== undefined) throw new SchemaError(`${at}[${JSON.stringify(name)}]`, problem);
  }
  return read;
};

/** `parley.a2a.targets`: alias to the origin of an MCP server. */
export const a2aTargets = byName<Entry>({ name: string, url, path: optional(path), headers });

/** `parley.a2a.agents`: name to the URL of an A2A agent. */
export const a2aAgents = byName<Omit<Entry, 'path'>>({ name: string, url, headers });

function byName<T extends { readonly name: string }>(
  fields: Fields<T>,
): SettingReader<Readonly<Record<string, Omit<T, 'name'>>>> {
  const read = namedEntries(fields);
  return (value, report) =>
    Object.fromEntries(read(value, report).map(({ name, ...address }) => [name, address] as const));
}
