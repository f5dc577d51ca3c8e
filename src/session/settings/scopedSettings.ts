import { readAllowList, readNames, toolServers } from '../../agent/config/agentToolSettings';
import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { SettingReader } from '../../base/settings';
import { readBoolean, describeValue, readEnum } from '../../base/settings';
import { a2aAgents, a2aTargets } from './a2aSettings';
import { rulesReader } from '../../permissions/rules/permissionRule';

/**
 * Settings that are read per scope, by their key without `parley.`. Each of them is in `restrictedConfigurations` of package.json:
 * an untrusted workspace sets none of them. A test compares the table with package.json.
 */
export const scopedSettings = {
  /** Entries are checked by `readAgents`. */
  agents: object(),
  /** Of a workspace only `ask` and `deny` count. */
  'permissions.rules': rulesReader,
  /** Names of built-in tool servers. A workspace's list only takes away. */
  'tools.servers': toolServers(),
  /** Of a workspace it does not count: only the user says what is offered. */
  'tools.allow': readAllowList(),
  /** The lists of all scopes unite. */
  'tools.deny': readNames(),
  /** Language model tools of the editor. Of a workspace it does not count. */
  'tools.ide': readNames(),
  /** Entries are checked by `readServers` of the tool servers. */
  mcpServers: object(),
  /** A workspace can only take it away. */
  'mcp.fromVSCode': readBoolean(true),
  /** Of a workspace only `always` counts: it can have more looked at, not less. */
  'mcp.gateway': readEnum<'whenRules' | 'always' | 'never'>(['whenRules', 'always', 'never'], 'whenRules'),
  /** What a workspace adds is asked about before it is reached. */
  'a2a.targets': a2aTargets(),
  'a2a.agents': a2aAgents(),
} satisfies Record<string, SettingReader<unknown>>;

export type ScopedSettings = { readonly [K in keyof typeof scopedSettings]: ReturnType<(typeof scopedSettings)[K]> };

/** An object whose fields are checked elsewhere. */
function object(): SettingReader<JsonObject> {
  return (value, report) => {
    if (value === undefined || isObject(value)) return value ?? {};
    report(t('expected an object, got {0}', describeValue(value)));
    return {};
  };
}
