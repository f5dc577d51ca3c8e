import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { plainLabel } from '../../base/untrustedText';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { AgentRef } from '../../shared/state/sessionState';

export type AgentListCatalog = Pick<SessionCatalog, 'notRunning' | 'loadSessionsOf'>;

export interface AgentListRow extends vscode.QuickPickItem {
  /** The agent that is started for its list when the row is selected. */
  readonly agentName?: string;
}

/** The rows "Load sessions of …" of a list of sessions, for agents that do not run. */
export class AgentListLoader {
  readonly #catalog: AgentListCatalog;
  readonly #loading = new Set<string>();
  /** Why a list could not be loaded. */
  readonly #problems = new Map<string, string>();

  constructor(catalog: AgentListCatalog) {
    this.#catalog = catalog;
  }

  get isBusy(): boolean {
    return this.#loading.size > 0;
  }

  rows(): AgentListRow[] {
    const rows = this.#catalog.notRunning().map((agent) => this.#row(agent));
    if (rows.length === 0) return [];
    return [{ label: t('Agents that are not running'), kind: vscode.QuickPickItemKind.Separator }, ...rows];
  }

  /**
   * Never rejects: the row says what went wrong.
   * @param onChange called when {@link rows} have changed
   */
  async load(agentName: string, onChange: () => void): Promise<void> {
    if (this.#loading.has(agentName)) return;
    this.#loading.add(agentName);
    this.#problems.delete(agentName);
    onChange();
    try {
      await this.#catalog.loadSessionsOf(agentName);
    } catch (error) {
      this.#problems.set(agentName, errorMessage(error));
    }
    this.#loading.delete(agentName);
    onChange();
  }

  #row({ name, title }: AgentRef): AgentListRow {
    const shown = plainLabel(title);
    const problem = this.#problems.get(name);
    if (this.#loading.has(name))
      return { label: `$(loading~spin) ${t('Loading sessions of {0}…', shown)}`, agentName: name };
    const label = `$(cloud-download) ${t('Load sessions of {0}…', shown)}`;
    return { label, agentName: name, ...(problem !== undefined && { description: plainLabel(problem) }) };
  }
}
