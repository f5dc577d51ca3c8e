import * as vscode from 'vscode';
import { errorMessage } from '../base/errors';
import { t } from '../base/l10n';
import { Lazy } from '../base/lazy';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { Memento } from '../base/memento';
import type { Redactor } from '../base/redactor';
import { allScopeValues } from '../base/settingScopes';
import type { AuditLog } from '../permissions/auditLog';
import type { Sessions } from '../session/sessions';
import type { SessionTools } from '../session/sessionTools';
import type { ScopedSettingsReader } from '../session/settings/scopedSettings';
import { showErrorMessage, showInformationMessage } from '../workbench/windowMessages';
import type { AgentServers } from './agents/a2aAgentServers';
import type { A2aSetting, ConfiguredAddresses, EntryDecisions, EntrySecrets } from './agents/configuredAddresses';
import type { Gateway } from './gateway/a2aGateway';
import { GatewayStatus } from './gateway/gatewayStatus';

export interface A2aDeps {
  readonly log: Logger;
  readonly version: string;
  readonly redactor: Redactor;
  readonly audit: AuditLog;
  /** Disposed here. */
  readonly tools: SessionTools;
  readonly settings: ScopedSettingsReader<A2aSetting>;
  readonly decisions: EntryDecisions;
  /** Shared by all windows. */
  readonly memory: Memento;
  readonly secrets: EntrySecrets;
  readonly sessions: Sessions;
}

/** A2A in this window: the gateway, which a command starts, and the A2A agents of the settings. */
export class A2aService implements Disposable {
  readonly #store = new DisposableStore();
  readonly #targets: Lazy<ConfiguredAddresses>;
  readonly #gateway: Lazy<Gateway>;
  readonly #status: GatewayStatus;
  /** Loaded when a session has an agent and the settings name any A2A agents. */
  readonly #agents: Lazy<AgentServers>;
  #isNeeded = false;

  constructor(private readonly deps: A2aDeps) {
    const { sessions, settings, tools } = deps;
    this.#store.add(tools);
    this.#store.add(sessions.onDidClose((id) => tools.close(id)));
    this.#agents = this.#store.add(new Lazy(() => createAgents(deps)));
    this.#store.add(settings.onDidChange(() => this.#refreshAgents()));
    this.#store.add(
      sessions.onDidChange(({ state }) => {
        if (this.#isNeeded || !state.agent || !vscode.workspace.isTrusted) return;
        this.#isNeeded = true;
        this.#refreshAgents();
      }),
    );
    this.#targets = new Lazy(() => createAddresses(deps, 'a2a.targets'));
    this.#gateway = this.#store.add(new Lazy(async () => createGateway(deps, await this.#targets.load())));
    this.#status = this.#store.add(new GatewayStatus());
  }

  /** Starts the gateway. While it runs, offers its actions. */
  async start(): Promise<void> {
    const { address } = this.#status;
    if (address) await (await import('./a2aPrompts')).chooseAction(address, () => this.stop());
    else if (vscode.workspace.isTrusted) await this.#startGateway();
    else await (await import('./a2aPrompts')).explainTrust();
  }

  async stop(): Promise<void> {
    const gateway = this.#gateway.value;
    const wasStarted = gateway?.isStarted === true;
    await gateway?.stop();
    await this.#status.set(undefined);
    const message = wasStarted
      ? t('The A2A gateway stopped. Its token is no longer valid.')
      : t('The A2A gateway is not running.');
    void showInformationMessage(message);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refreshAgents(): void {
    const { settings, log } = this.deps;
    const isAny = (): boolean =>
      allScopeValues(settings.scoped('a2a.agents')).some((value) => Object.keys(value).length > 0);
    if (!this.#isNeeded || (!this.#agents.isLoaded && !isAny())) return;
    this.#agents
      .load()
      .then((loaded) => loaded.refresh())
      .catch((error: unknown) => log.error('a2a', `Failed to load the A2A agents: ${errorMessage(error)}`));
  }

  async #startGateway(): Promise<void> {
    try {
      await (await this.#targets.load()).decide();
      const gateway = await this.#gateway.load();
      const { showStarted } = await import('./a2aPrompts');
      const address = await gateway.start();
      await this.#status.set(address);
      // Not awaited: the command has finished, and the notification stays open until the user closes it.
      void showStarted(address, gateway);
    } catch (error) {
      void showErrorMessage(t('Could not start the A2A gateway: {0}', errorMessage(error)));
    }
  }
}

async function createGateway(deps: A2aDeps, addresses: ConfiguredAddresses): Promise<Gateway> {
  const chunk = await import('./a2aChunk');
  const { log, version, redactor, audit, tools, sessions } = deps;
  await tools.load();
  return new chunk.Gateway(new chunk.CallTargets(sessions, tools, addresses, version), audit, redactor, log);
}

async function createAgents(deps: A2aDeps): Promise<AgentServers> {
  const [chunk, { askAboutCard, showFailure }] = await Promise.all([import('./a2aChunk'), import('./a2aPrompts')]);
  const cards = new chunk.PinnedCards(deps.memory, askAboutCard);
  const agents = new chunk.AgentServers(await createAddresses(deps, 'a2a.agents'), deps.tools, cards, deps.log);
  agents.onDidFail((failed) => void showFailure(failed, agents));
  return agents;
}

async function createAddresses(deps: A2aDeps, setting: A2aSetting): Promise<ConfiguredAddresses> {
  const { AddressHeaders, ConfiguredAddresses } = await import('./agents/configuredAddresses');
  const { settings, decisions, secrets, redactor } = deps;
  return new ConfiguredAddresses(
    setting,
    settings,
    decisions,
    new AddressHeaders(secrets, redactor),
    async (...entry) => (await import('./a2aPrompts')).askAboutEntry(...entry),
  );
}
