import { readAllowList, readNames, toolServers } from '../../agent/config/agentToolSettings';
import type { Event } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { boolean, describeValue, enumOf } from '../../base/schema';
import type { SettingReader } from '../../base/settings';
import { setting } from '../../base/settings';
import type { SettingScopes } from '../../base/settingScopes';
import { rulesReader } from '../../permissions/rules/permissionRule';
import { a2aAgents, a2aTargets } from './a2aSettings';
import { readPresets } from './presetSettings';

/**
 * Settings that are read per scope, by their key without `parley.`. Each is in `restrictedConfigurations` of package.json, so an untrusted
 * workspace cannot set it. A test compares the table with package.json.
 */
export const scopedSettings = {
  /** Entries are validated by `readAgents`. */
  agents: object(),
  /** VS Code reads it from user settings only: a preset can put an agent into a mode that asks nothing. */
  presets: readPresets,
  /** A workspace can only set `ask` and `deny`. */
  'permissions.rules': rulesReader,
  /** Names of built-in tool servers. A workspace can only remove some. */
  'tools.servers': toolServers(),
  /** Ignored in workspace settings. */
  'tools.allow': readAllowList(),
  /** The lists of all scopes are joined. */
  'tools.deny': readNames(),
  /** Language model tools of the editor. Ignored in workspace settings. */
  'tools.ide': readNames(),
  /** Entries are validated by `readServers` of the tool servers. */
  mcpServers: object(),
  /** A workspace can only disable it. */
  'mcp.fromVSCode': setting(boolean, true),
  /** A workspace can only set `always`, which checks more. */
  'mcp.gateway': setting<'whenRules' | 'always' | 'never'>(enumOf('whenRules', 'always', 'never'), 'whenRules'),
  /** Entries of a workspace require confirmation. */
  'a2a.targets': a2aTargets,
  'a2a.agents': a2aAgents,
  /** Commands of a workspace require confirmation. */
  'worktrees.setup': readNames(),
  /** The lists of all scopes are joined. */
  'worktrees.include': (value, report) => (value === undefined ? ['.env*'] : readNames()(value, report)),
  /** The lists of all scopes are joined. */
  'worktrees.link': readNames(),
} satisfies Record<string, SettingReader<unknown>>;

export type ScopedSettings = { readonly [K in keyof typeof scopedSettings]: ReturnType<(typeof scopedSettings)[K]> };

/** Reads the validated values of some settings by scope; implemented by `Configuration`. */
export interface ScopedSettingsReader<K extends keyof ScopedSettings> {
  scoped<Key extends K>(key: Key): SettingScopes<ScopedSettings[Key]>;
  /** Fires after a change of settings, workspace folders or workspace trust. */
  readonly onDidChange: Event<void>;
}

/** An object whose fields are validated elsewhere. */
function object(): SettingReader<JsonObject> {
  return (value, report) => {
    if (value === undefined || isObject(value)) return value ?? {};
    report(t('expected an object, got {0}', describeValue(value)));
    return {};
  };
}
