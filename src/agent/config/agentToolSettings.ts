import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { describeValue } from '../../base/schema';
import type { SettingReader } from '../../base/settings';

/** How tool servers reach an agent. */
const TOOL_TRANSPORTS = ['acp', 'http', 'stdio'] as const;

/** The tools that one agent may use, and how they reach it: fields `tools` and `mcp` of `parley.agents.<name>`. */
export interface AgentTools {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Names of the allowed tool servers; undefined: all enabled servers, empty: none. */
  readonly servers?: readonly string[];
  /** Overrides the transport that Parley chooses. */
  readonly transport?: (typeof TOOL_TRANSPORTS)[number];
}

/** A list of names or patterns; values of other types are reported and skipped. */
export function readNames(): SettingReader<readonly string[]> {
  return (value, report) => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      report(t('expected a list of strings, got {0}', describeValue(value)));
      // Accept one pattern without brackets: ignoring it would lose a denial.
      return typeof value === 'string' && value.trim() !== '' ? [value] : [];
    }
    return value.filter((item, index): item is string => {
      const isName = typeof item === 'string' && item.trim() !== '';
      if (!isName) report(t('expected a name or a pattern, got {0}', describeValue(item)), `[${index}]`);
      return isName;
    });
  };
}

/** As {@link readNames} for an allow list: a non-empty list without a valid entry allows nothing. */
export function readAllowList(): SettingReader<readonly string[]> {
  return (value, report) => {
    const list = readNames()(value, report);
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    // No id is empty, so the empty name matches nothing.
    return isEmpty || list.length > 0 ? list : [''];
  };
}

/** The built-in tool servers that are enabled by default. */
export const DEFAULT_TOOL_SERVERS: readonly string[] = ['problems', 'code', 'refactor', 'editor', 'tests', 'user'];

/** `parley.tools.servers`. A value that is not a list enables no server. */
export function toolServers(): SettingReader<readonly string[]> {
  return (value, report) => (value === undefined ? DEFAULT_TOOL_SERVERS : readNames()(value, report));
}

/**
 * Reads `tools` and `mcp` of an agent's entry; undefined when it has neither.
 * @param warn receives each problem with its path: `.tools.deny[0]`
 */
export function readAgentTools(
  entry: JsonObject,
  warn: (field: string, message: string) => void,
): AgentTools | undefined {
  if (entry['tools'] === undefined && entry['mcp'] === undefined) return undefined;
  const tools = fieldsOf(entry, 'tools', ['allow', 'deny'], warn);
  const mcp = fieldsOf(entry, 'mcp', ['servers', 'allow', 'deny', 'transport'], warn);
  const at =
    (fieldPath: string) =>
    (message: string, field = ''): void =>
      warn(fieldPath + field, message);
  const servers = mcp['servers'] === undefined ? undefined : readNames()(mcp['servers'], at('.mcp.servers'));
  const transport = TOOL_TRANSPORTS.find((one) => one === mcp['transport']);
  if (mcp['transport'] !== undefined && transport === undefined) {
    warn(
      '.mcp.transport',
      t('expected one of {0}, got {1}', TOOL_TRANSPORTS.join(', '), describeValue(mcp['transport'])),
    );
  }
  return {
    allow: [
      ...readAllowList()(tools['allow'], at('.tools.allow')),
      ...readAllowList()(mcp['allow'], at('.mcp.allow')).map(toToolPattern),
    ],
    deny: [
      ...readNames()(tools['deny'], at('.tools.deny')),
      ...readNames()(mcp['deny'], at('.mcp.deny')).map(toToolPattern),
    ],
    ...(servers && { servers }),
    ...(transport && { transport }),
  };
}

/** The pattern of a bare tool name, which means the tool of every server. */
function toToolPattern(name: string): string {
  return name === '' || name === '*' || name.includes('__') ? name : `*__${name}`;
}

function fieldsOf(
  entry: JsonObject,
  name: string,
  knownFields: readonly string[],
  warn: (field: string, message: string) => void,
): JsonObject {
  const value = entry[name];
  if (value === undefined) return {};
  if (!isObject(value)) {
    warn(`.${name}`, t('expected an object with {0}, got {1}', knownFields.join(' and '), describeValue(value)));
    return {};
  }
  for (const field of Object.keys(value).filter((key) => !knownFields.includes(key))) {
    warn(
      `.${name}.${field}`,
      t('unknown field, ignored by this version of Parley; known fields: {0}', knownFields.join(' and ')),
    );
  }
  return value;
}
