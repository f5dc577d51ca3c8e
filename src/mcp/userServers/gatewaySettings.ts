import { allScopeValues, workspaceScopeValues } from '../../base/settingScopes';
import type { ScopedSettingsReader } from '../../session/settings/scopedSettings';
import type { GatewayMode } from './serverRoute';

/** The settings that decide which servers go through Parley. */
export class GatewaySettings {
  constructor(private readonly settings: ScopedSettingsReader<'mcp.gateway' | 'permissions.rules'>) {}

  /** The user's mode; a workspace can only route more servers through Parley. */
  get mode(): GatewayMode {
    const mode = this.settings.scoped('mcp.gateway');
    return workspaceScopeValues(mode).includes('always') ? 'always' : mode.user;
  }

  /** The `tool` of all permission rules: such a rule only works for calls through Parley. */
  get toolPatterns(): readonly string[] {
    return allScopeValues(this.settings.scoped('permissions.rules'))
      .flat()
      .flatMap(({ tool }) => tool ?? []);
  }
}
