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

/** The user's secrets for `${input:NAME}`. */
export interface EntrySecrets {
  /** Undefined when the user gave none. */
  get(owner: string, name: string): Promise<string | undefined>;
}

export type A2aSetting = 'a2a.targets' | 'a2a.agents';

/** The headers of entries, with variables and the user's secrets. */
export class AddressHeaders {
  constructor(
    private readonly secrets: EntrySecrets,
    private readonly redactor: Redactor,
  ) {}

  /**
   * @param path of the entry, for messages
   * @param owner names the entry in the list of secrets
   * @throws ParleyError (`badInput`) that names what is missing
   */
  async resolve(
    path: string,
    headers: A2aAddress['headers'],
    owner: string,
  ): Promise<Readonly<Record<string, string>>> {
    const resolved = new Map<string, string>();
    for (const [header, written] of Object.entries(headers))
      resolved.set(header, await this.#resolveValue(`${path}.headers["${header}"]`, written, owner));
    this.redactor.add(resolved.values());
    return Object.fromEntries(resolved);
  }

  async #resolveValue(path: string, written: string, owner: string): Promise<string> {
    const inputs = new Set<string>();
    const variables = { workspaceFolder: undefined, userHome: homedir(), env: process.env };
    const resolved = substituteVariables(written, variables, inputs);
    if ('problem' in resolved) throw new ParleyError('badInput', `${path}: ${resolved.problem}`);
    const values = new Map<string, string>();
    for (const input of inputs) {
      const value = await this.secrets.get(owner, input);
      if (value === undefined || value === '')
        throw new ParleyError('badInput', t('{0} requires the secret “{1}”, but no value was entered', path, input));
      values.set(input, value);
    }
    const value = substituteInputs(resolved.value, values);
    if (/[\r\n\0]/.test(value))
      throw new ParleyError('badInput', t('{0}: a header must not contain a line break', path));
    return value;
  }
}

/**
 * The URLs of one setting. Entries of the user apply directly. A workspace entry applies after the user allowed exactly
 * its content, and never replaces a user's entry (docs/security.md, rows 1 and 3).
 */
export class ConfiguredAddresses {
  /** @param confirm prompts for an entry of the workspace; undefined when the user dismissed the prompt */
  constructor(
    private readonly setting: A2aSetting,
    private readonly settings: ScopedSettingsReader<A2aSetting>,
    private readonly decisions: EntryDecisions,
    private readonly headers: AddressHeaders,
    private readonly confirm: (setting: A2aSetting, name: string, address: A2aAddress) => Promise<boolean | undefined>,
  ) {}

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
    for (const [name, address] of this.#workspaceEntries()) {
      if (this.#decision(name, address) !== undefined) continue;
      const isAllowed = await this.confirm(this.setting, name, address);
      if (isAllowed === undefined) continue;
      await this.decisions.store(this.#subject(name), addressContent(address), isAllowed ? 'allowed' : 'refused');
    }
  }

  get #scopes(): SettingScopes<A2aAddresses> {
    return this.settings.scoped(this.setting);
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
    return this.decisions.decision(this.#subject(name), addressContent(address));
  }

  #subject(name: string): string {
    return `${this.setting}:${name}`;
  }

  #toEntry(name: string, address: A2aAddress, owner: string): AddressEntry {
    const path = `parley.${this.setting}["${name}"]`;
    const headers: AddressEntry['headers'] = () => this.headers.resolve(path, address.headers, owner);
    return { name, address, content: addressContent(address), headers };
  }
}

function addressContent({ url, path, headers }: A2aAddress): string {
  return JSON.stringify([url, path ?? null, sortedEntries(headers)]);
}
