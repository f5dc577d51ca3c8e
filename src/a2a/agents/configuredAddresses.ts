import { homedir } from 'node:os';
import { contentHash } from '../../agent/config/workspaceAgents';
import { ParleyError } from '../../base/errors';
import { sortedEntries } from '../../base/json';
import { t } from '../../base/l10n';
import type { Redactor } from '../../base/redactor';
import type { SettingScopes } from '../../base/settingScopes';
import { workspaceScopeValues } from '../../base/settingScopes';
import { substituteInputs, substituteVariables } from '../../base/variableSubstitution';
import type { A2aAddress, A2aAddresses } from '../../session/settings/a2aSettings';
import type { ScopedSettingsReader } from '../../session/settings/scopedSettings';

/** One usable entry of the settings. */
export interface AddressEntry {
  readonly name: string;
  readonly address: A2aAddress;
  /** Equal for two entries exactly when all their fields are equal. */
  readonly content: string;
  /**
   * Headers with variables and secrets substituted.
   * @throws ParleyError (`badInput`) that names what is missing
   */
  headers(): Promise<Readonly<Record<string, string>>>;
}

/** The user's decisions about workspace entries; each applies to exactly that content. */
export interface EntryDecisions {
  decision(subject: string, content: string): 'allowed' | 'refused' | undefined;
  store(subject: string, content: string, decision: 'allowed' | 'refused'): Promise<void>;
}

export type A2aSetting = 'a2a.targets' | 'a2a.agents';

interface ConfiguredAddressesOptions {
  readonly setting: A2aSetting;
  readonly settings: Pick<ScopedSettingsReader<A2aSetting>, 'scoped'>;
  readonly decisions: EntryDecisions;
  /** Prompts for an entry of the workspace. Undefined when the user dismissed the prompt. */
  readonly confirm: (name: string, address: A2aAddress) => Promise<boolean | undefined>;
  /** The user's secrets for `${input:NAME}`. */
  readonly secrets: { get(owner: string, name: string): Promise<string | undefined> };
  readonly redactor: Pick<Redactor, 'add'>;
}

/**
 * The URLs of one setting. Entries of the user apply directly. A workspace entry applies after the user allowed exactly
 * its content, and never replaces a user's entry (docs/security.md, rows 1 and 3).
 */
export class ConfiguredAddresses {
  constructor(private readonly options: ConfiguredAddressesOptions) {}

  /** The entries that may be used now. */
  available(): readonly AddressEntry[] {
    const own = Object.entries(this.#scopes.user).map(([name, address]) => this.#toEntry(name, address, `A2A ${name}`));
    const allowed = this.#workspaceEntries().filter(([name, address]) => this.#decision(name, address) === 'allowed');
    const workspaceEntries = allowed.map(([name, address]) => {
      // A secret given for another URL under the same name must not be used here.
      const owner = `A2A ${name} ${contentHash(addressContent(address)).slice(0, 16)}`;
      return this.#toEntry(name, address, owner);
    });
    return [...own, ...workspaceEntries];
  }

  /** Prompts for workspace entries without a decision. */
  async decide(): Promise<void> {
    const { decisions, confirm } = this.options;
    for (const [name, address] of this.#workspaceEntries()) {
      if (this.#decision(name, address) !== undefined) continue;
      const isAllowed = await confirm(name, address);
      if (isAllowed === undefined) continue;
      await decisions.store(this.#subject(name), addressContent(address), isAllowed ? 'allowed' : 'refused');
    }
  }

  get #scopes(): SettingScopes<A2aAddresses> {
    const { setting, settings } = this.options;
    return settings.scoped(setting);
  }

  #workspaceEntries(): readonly (readonly [string, A2aAddress])[] {
    const scopes = this.#scopes;
    const found = new Map<string, A2aAddress>();
    for (const [name, address] of workspaceScopeValues(scopes).flatMap((value) => Object.entries(value))) {
      if (!Object.hasOwn(scopes.user, name) && !found.has(name)) found.set(name, address);
    }
    return [...found];
  }

  #decision(name: string, address: A2aAddress): 'allowed' | 'refused' | undefined {
    return this.options.decisions.decision(this.#subject(name), addressContent(address));
  }

  #subject(name: string): string {
    return `${this.options.setting}:${name}`;
  }

  #toEntry(name: string, address: A2aAddress, owner: string): AddressEntry {
    return { name, address, content: addressContent(address), headers: () => this.#headers(name, address, owner) };
  }

  async #headers(name: string, { headers }: A2aAddress, owner: string): Promise<Readonly<Record<string, string>>> {
    const { setting, secrets, redactor } = this.options;
    const headersWithSecrets: Record<string, string> = {};
    for (const [header, written] of Object.entries(headers)) {
      const inputs = new Set<string>();
      const variables = { workspaceFolder: undefined, userHome: homedir(), env: process.env };
      const resolved = substituteVariables(written, variables, inputs);
      const path = `parley.${setting}["${name}"].headers["${header}"]`;
      if ('problem' in resolved) throw new ParleyError('badInput', `${path}: ${resolved.problem}`);
      const values = new Map<string, string>();
      for (const input of inputs) {
        const value = await secrets.get(owner, input);
        if (value === undefined || value === '')
          throw new ParleyError('badInput', t('{0} requires the secret “{1}”, but no value was entered', path, input));
        values.set(input, value);
      }
      const value = substituteInputs(resolved.value, values);
      if (/[\r\n\0]/.test(value))
        throw new ParleyError('badInput', t('{0}: a header must not contain a line break', path));
      headersWithSecrets[header] = value;
    }
    redactor.add(Object.values(headersWithSecrets));
    return headersWithSecrets;
  }
}

function addressContent({ url, path, headers }: A2aAddress): string {
  return JSON.stringify([url, path ?? null, sortedEntries(headers)]);
}
