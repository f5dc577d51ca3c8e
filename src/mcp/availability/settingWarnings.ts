import { t } from '../../base/l10n';
import type { SettingProblem } from '../../base/settings';
import { matchesWildcard } from '../../permissions/rules/wildcard';
import type { RegisteredServer } from '../contract/toolServerRegistry';
import { toolId } from './toolFilter';

/** Maximum length of `mcp__server__tool` in model APIs. */
const MAX_PREFIXED = 64;

/** What every agent accepts: some split names at “_”, write them in lower case, or refuse other characters. */
const AGENT_NAME = /^[a-z\d-]+$/;

export interface PatternList {
  /** For example `parley.tools.deny` or `parley.agents["x"].tools.allow`. */
  readonly path: string;
  readonly patterns: readonly string[];
  /** Text that names the scope, unless it is the user's own settings. */
  readonly from?: string;
}

export interface SettingLists {
  readonly patterns: readonly PatternList[];
  /** Settings with server names: `parley.tools.servers`, `mcp.servers` of agents. */
  readonly names: readonly PatternList[];
}

interface Validated extends SettingLists {
  readonly servers: readonly RegisteredServer[];
  /** Servers without known tools: they are passed to agents unchanged. */
  readonly others?: readonly string[];
}

export function nameWarnings(servers: readonly RegisteredServer[]): readonly string[] {
  return servers.flatMap(({ name, server, clash }) => [
    ...(clash === undefined
      ? []
      : [t('Two tool servers are named “{0}”. In rules and for agents, the second is named “{1}”.', clash, name)]),
    ...(clash === undefined && name !== server.name
      ? [
          t(
            'The tool server “{0}” is named “{1}” in rules and for agents, which split names at “__”.',
            server.name,
            name,
          ),
        ]
      : []),
    ...(AGENT_NAME.test(name)
      ? []
      : [t('Some agents cannot use the tool server name “{0}”. Use only lower-case letters, digits and “-”.', name)]),
    ...longNames(name, server.tools),
    ...findDuplicates(server.tools.map((tool) => tool.name)).map((tool) =>
      t('The tool server “{0}” has two tools named “{1}”. Only the first can be called.', name, tool),
    ),
  ]);
}

export function ruleProblems(validated: Validated): readonly SettingProblem[] {
  return [
    ...validated.names.flatMap((list) => problemsOf(list, (name) => nameProblem(name, validated))),
    ...validated.patterns.flatMap((list) => problemsOf(list, (pattern) => patternProblem(pattern, validated))),
  ];
}

function longNames(server: string, tools: RegisteredServer['server']['tools']): string[] {
  const long = tools.filter(({ name }) => `mcp__${toolId(server, name)}`.length > MAX_PREFIXED);
  return long.map(({ name }) =>
    t(
      'The tool name “mcp__{0}” is longer than {1} characters. Some agents ignore the tool.',
      toolId(server, name),
      MAX_PREFIXED,
    ),
  );
}

function problemsOf(
  { path, patterns, from }: PatternList,
  check: (item: string) => string | undefined,
): SettingProblem[] {
  const twice = findDuplicates(patterns).map((item) => t('{0} is listed twice', JSON.stringify(item)));
  const wrong = [...new Set(patterns)].map(check).filter((message) => message !== undefined);
  const origin = from === undefined ? { path } : { path, from };
  return [...wrong, ...twice].map((message) => Object.assign({ message }, origin));
}

function nameProblem(name: string, { servers, others = [] }: Validated): string | undefined {
  const names = [...servers.map((server) => server.name), ...others];
  if (names.includes(name)) return undefined;
  const closest = names.find((one) => one.toLowerCase() === name.toLowerCase());
  const quoted = JSON.stringify(name);
  return closest === undefined
    ? t('no tool server is named {0}; available tool servers: {1}', quoted, names.join(', '))
    : t('no tool server is named {0}; did you mean {1}?', quoted, JSON.stringify(closest));
}

function patternProblem(pattern: string, validated: Validated): string | undefined {
  const { servers, others = [] } = validated;
  const ids = servers.flatMap(({ name, server }) => server.tools.map((tool) => toolId(name, tool.name)));
  const matches = (one: string): boolean => {
    const isOther = others.some((name) => one.startsWith(toolId(name, '')) || matchesWildcard(one, toolId(name, '')));
    return isOther || ids.some((id) => matchesWildcard(one, id));
  };
  // Skips `server__*` for a server without tools: the pattern applies to its future tools.
  const isServer = servers.some(({ name }) => pattern === toolId(name, '*'));
  if (pattern === '' || isServer || matches(pattern)) return undefined;
  const suggestion = spellings(pattern).find(matches);
  const given = JSON.stringify(pattern);
  if (suggestion !== undefined) return t('{0} matches no tool; did you mean {1}?', given, JSON.stringify(suggestion));
  const [server = ''] = pattern.split('__');
  const isKnown = server.includes('*') || servers.some(({ name }) => name === server);
  if (pattern.includes('__') && !isKnown) return nameProblem(server, validated);
  return t(
    '{0} matches no tool; use the form server__tool, such as {1}',
    given,
    JSON.stringify(ids[0] ?? 'code__hover'),
  );
}

/** Common misspellings of `server__tool`. */
function spellings(pattern: string): readonly string[] {
  const plain = pattern.replace(/^mcp__?/, '').toLowerCase();
  const separated = ['.', '/', ':', '_', '-'].map((separator) => plain.replace(separator, '__'));
  return [plain, ...separated, `${plain}__*`];
}

function findDuplicates(items: readonly string[]): string[] {
  return [...new Set(items.filter((item, index) => items.indexOf(item) !== index))];
}
