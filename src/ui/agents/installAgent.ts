import * as vscode from 'vscode';
import { describeLaunch } from '../../agent/config/describeLaunch';
import type { DetectedAgent } from '../../agent/registry/findOnPath';
import type { InstalledAgent } from '../../agent/registry/installedAgents';
import { describePlan } from '../../agent/registry/installPlan';
import type { InstallPlan } from '../../agent/registry/installPlan';
import type { RegistryItem } from '../../agent/registry/registryListing';
import { assertNever } from '../../base/assert';
import { errorSentences, isCancellation, errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import {
  showErrorMessage,
  showInformationMessage,
  showWarningMessage,
  withCancellableProgress,
} from '../../workbench/windowMessages';
import type { Agents, ShownLog } from '../window';
import type { AgentItem, InstallValue, RegistryResult } from './agentPickItems';
import { installItems } from './agentPickItems';

/** "Install Agent…". */
export interface AgentInstaller {
  /** Shows the agents of the registry and of this machine. Never rejects: errors are shown. */
  show(): Promise<void>;
  /**
   * Adds an agent found on this machine, after the user has confirmed its command, and uses it.
   * @param id of the agent in the list of known programs
   */
  add(id: string): Promise<void>;
}

export class InstallAgent implements AgentInstaller {
  /** @param useAgent sets the agent of the shown chat, or opens a new one */
  constructor(
    private readonly agents: Agents,
    private readonly log: ShownLog,
    private readonly useAgent: (name: string) => Promise<void>,
  ) {}

  async show(): Promise<void> {
    await this.#withErrorsShown(async () => {
      const registry = await this.agents.registry.confirmUrl();
      if (registry === undefined) return;
      const items = this.#items();
      const chosen = await vscode.window.showQuickPick(items, {
        title: t('Install Agent'),
        placeHolder: t('Select an agent. You confirm what runs before anything is installed'),
        matchOnDescription: true,
        matchOnDetail: true,
      });
      if (chosen?.value) await this.#act(chosen.value, registry);
    });
  }

  async add(id: string): Promise<void> {
    await this.#withErrorsShown(async () => {
      const found = this.agents.installs.found().find((agent) => agent.id === id);
      if (found) await this.#add(found);
    });
  }

  async #items(): Promise<(vscode.QuickPickItem & AgentItem<InstallValue>)[]> {
    const { installs } = this.agents;
    await installs.detect(true);
    const listing = await installs
      .listing()
      .catch((error: unknown): RegistryResult => ({ failure: errorMessage(error) }));
    return asQuickPick(installItems(listing, installs.listInstalled(), installs.found()));
  }

  async #act(value: InstallValue, registry: string): Promise<void> {
    switch (value.type) {
      case 'retry':
        return this.show();
      case 'found':
        return this.#add(value.found);
      case 'installed':
        return this.#manage(value.installed);
      case 'offer':
        return this.#actOnOffer(value.offer, registry);
      default:
        return assertNever(value);
    }
  }

  async #actOnOffer(offer: RegistryItem, registry: string): Promise<void> {
    const { agent, choice, installed } = offer;
    if (!installed) return this.#install(await this.agents.installs.plan(agent, choice), false, registry);
    const verb = offer.state === 'update' ? t('Update to {0}', agent.version) : t('Reinstall {0}', agent.version);
    return this.#manage(installed, verb, async () => {
      await this.#install(await this.agents.installs.plan(agent, choice), true, registry);
    });
  }

  async #manage(installed: InstalledAgent, verb?: string, install?: () => Promise<void>): Promise<void> {
    const [use, remove] = [t('Use in Chat'), t('Remove')];
    const actions = [...(verb === undefined ? [] : [verb]), use, remove];
    const title = escapeInvisibleInline(`${installed.title} ${installed.version ?? ''}`.trim());
    const action = await vscode.window.showQuickPick(actions, { title });
    if (action === use) await this.useAgent(installed.id);
    else if (action === remove) await this.#remove(installed);
    else if (action !== undefined) await install?.();
  }

  /** @param isAgain replaces an installed version */
  async #install(plan: InstallPlan, isAgain: boolean, registry: string): Promise<void> {
    const name = escapeInvisibleInline(plan.agent.name);
    const isUnchecked = plan.choice.kind === 'binary' && plan.choice.from.sha256 === undefined;
    const message = isAgain ? t('Update {0}?', name) : t('Install {0}?', name);
    if (!(await confirm(message, describePlan(plan, registry), verbOf(isAgain, isUnchecked)))) return;
    const installed = await this.#withProgress(t('Installing {0}', name), plan);
    const warning = await this.agents.installs.warning(installed);
    if (warning !== undefined) void showWarningMessage(`${name}: ${warning}`);
    void this.#showInstalled(installed, isAgain);
  }

  async #withProgress(title: string, plan: InstallPlan): Promise<InstalledAgent> {
    return withCancellableProgress(title, (signal, progress) => {
      let shown = 0;
      const onProgress = (bytes: number, total: number | undefined): void => {
        const percent = total ? Math.floor((bytes / total) * 100) : 0;
        if (percent <= shown) return;
        progress.report({ increment: percent - shown, message: percent < 100 ? t('{0}%', percent) : t('unpacking…') });
        shown = percent;
      };
      return this.agents.installs.install(plan, { signal, onProgress });
    });
  }

  async #showInstalled({ id, title, version }: InstalledAgent, isUpdate: boolean): Promise<void> {
    const what = escapeInvisibleInline(`${title} ${version ?? ''}`.trim());
    const sentence = isUpdate
      ? t('{0} is installed. Restart the agent to use this version.', what)
      : t('{0} is installed.', what);
    const button = isUpdate ? t('Restart Agent') : t('Start Chat');
    if ((await showInformationMessage(sentence, button)) !== button) return;
    if (isUpdate) await this.agents.pool.stop(id);
    await this.#withErrorsShown(() => this.useAgent(id));
  }

  async #add(found: DetectedAgent): Promise<void> {
    const launch = { command: found.path, args: found.args, env: {} };
    const lines = [t('Found on PATH. Each start runs:'), ...describeLaunch(launch)];
    const detail = lines.map(escapeInvisibleInline).join('\n');
    if (!(await confirm(t('Use {0}?', found.title), detail, t('Add and Start')))) return;
    const { id } = await this.agents.installs.add(found);
    await this.useAgent(id);
  }

  async #remove({ id, title, from }: InstalledAgent): Promise<void> {
    const files =
      from === 'path'
        ? t('The program itself will not be deleted.')
        : t('The files that Parley downloaded for this agent will be deleted.');
    const detail = `${t('Sessions with this agent will stop.')} ${files}`;
    if (!(await confirm(t('Remove {0}?', escapeInvisibleInline(title)), detail, t('Remove')))) return;
    await this.agents.pool.stop(id);
    await this.agents.installs.remove(id);
  }

  async #withErrorsShown(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (isCancellation(error)) return;
      this.log.error('agent', `Failed to change an installed agent: ${errorMessage(error)}`, error);
      void this.#showError(errorSentences(error));
    }
  }

  async #showError(sentence: string): Promise<void> {
    const button = t('Show Log');
    if ((await showErrorMessage(sentence, button)) === button) this.log.show();
  }
}

/** Rows without a value become separators. */
export function asQuickPick<T>(items: readonly AgentItem<T>[]): (vscode.QuickPickItem & AgentItem<T>)[] {
  return items.map((item) => ({
    ...item,
    ...(item.value === undefined && { kind: vscode.QuickPickItemKind.Separator }),
  }));
}

async function confirm(message: string, detail: string, button: string): Promise<boolean> {
  return (await showWarningMessage(message, { modal: true, detail }, button)) === button;
}

/** @param isUnchecked the download has no published hash to verify */
function verbOf(isAgain: boolean, isUnchecked: boolean): string {
  if (isAgain) return isUnchecked ? t('Update Without Checksum') : t('Update');
  return isUnchecked ? t('Install Without Checksum') : t('Install');
}
