import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { SettingReader } from '../../base/settings';
import { describeValue } from '../../base/settings';

/** Which tools of which servers one agent is given: `parley.agents.<name>` fields `tools` and `mcp`. Both only narrow. */
export interface AgentTools {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Names of the tool servers that it gets; undefined: all that are on, empty: none. */
  readonly servers?: readonly string[];
}

/** A list of names or patterns; what is no string in it is named and left out. */
export function readNames(): SettingReader<readonly string[]> {
  return (value, report) => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      report(t('expected a list of strings, got {0}', describeValue(value)));
      // Who writes the one pattern without brackets means it: a denial must not be lost by that.
      return typeof value === 'string' && value.trim() !== '' ? [value] : [];
    }
    return value.filter((item, index): item is string => {
      const isName = typeof item === 'string' && item.trim() !== '';
      if (!isName) report(t('expected a name or a pattern, got {0}', describeValue(item)), `[${index}]`);
      return isName;
    });
  };
}

/** As {@link readNames} for a list that is closed once it holds anything: one with nothing usable in it allows nothing. */
export function readAllowList(): SettingReader<readonly string[]> {
  return (value, report) => {
    const list = readNames()(value, report);
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    // No id is empty: this matches nothing.
    return isEmpty || list.length > 0 ? list : [''];
  };
}

/** The built-in tool servers that are offered where the user has said nothing. */
export const DEFAULT_TOOL_SERVERS: readonly string[] = ['problems', 'code', 'refactor', 'editor', 'tests', 'user'];

/** `parley.tools.servers`. A value that is no list names no server. */
export function toolServers(): SettingReader<readonly string[]> {
  return (value, report) => (value === undefined ? DEFAULT_TOOL_SERVERS : readNames()(value, report));
}

/**
 * Reads `tools` and `mcp` of an agent's entry; undefined when it has neither.
 * @param warn told of what is wrong and where, `.tools.deny[0]`
 */
export function readAgentTools(
  entry: JsonObject,
  warn: (field: string, message: string) => void,
): AgentTools | undefined {
  if (entry['tools'] === undefined && entry['mcp'] === undefined) return undefined;
  const tools = fieldsOf(entry, 'tools', ['allow', 'deny'], warn);
  const mcp = fieldsOf(entry, 'mcp', ['servers'], warn);
  const at =
    (place: string) =>
    (message: string, field = ''): void =>
      warn(place + field, message);
  const servers = mcp['servers'] === undefined ? undefined : readNames()(mcp['servers'], at('.mcp.servers'));
  return {
    allow: readAllowList()(tools['allow'], at('.tools.allow')),
    deny: readNames()(tools['deny'], at('.tools.deny')),
    ...(servers && { servers }),
  };
}

function fieldsOf(
  entry: JsonObject,
  name: string,
  known: readonly string[],
  warn: (field: string, message: string) => void,
): JsonObject {
  const value = entry[name];
  if (value === undefined) return {};
  if (!isObject(value)) {
    warn(`.${name}`, t('expected an object with {0}, got {1}', known.join(' and '), describeValue(value)));
    return {};
  }
  for (const field of Object.keys(value).filter((key) => !known.includes(key))) {
    warn(
      `.${name}.${field}`,
      t('this version of Parley does not know this field and ignores it; there is {0}', known.join(' and ')),
    );
  }
  return value;
}
