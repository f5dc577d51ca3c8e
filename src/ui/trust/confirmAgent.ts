import * as vscode from 'vscode';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { WorkspaceAgent } from '../../agent/config/workspaceAgents';
import { contentHash, definitionContent, describeAgent, isWorkspaceAgent } from '../../agent/config/workspaceAgents';
import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import type { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import { confirmInFull } from './confirmInFull';
import type { WorkspaceApprovals } from './workspaceApprovals';

/** Confirms each agent of the workspace before its start (executable settings from the workspace). */
export class ConfirmAgent {
  /** Open confirmations by subject: several sessions may start the same agent. */
  readonly #confirmations = new Map<string, Promise<boolean>>();

  constructor(
    private readonly approvals: WorkspaceApprovals /** Absolute default working folder of agents. */,
    private readonly folder: () => string,
    private readonly documents: ReadOnlyDocuments,
  ) {}

  /** Whether {@link allow} asks nothing. */
  isAllowed(definition: AgentDefinition): boolean {
    if (!isWorkspaceAgent(definition)) return true;
    const decision = this.approvals.decision(subjectOf(definition), definitionContent(definition));
    return vscode.workspace.isTrusted && decision === 'allowed';
  }

  /**
   * Settles when the agent may be started. The user's own agents are always allowed.
   * @throws ParleyError `untrusted` when the user declined
   */
  async allow(definition: AgentDefinition): Promise<void> {
    if (!isWorkspaceAgent(definition)) return;
    const { title, workspace } = definition;
    if (!vscode.workspace.isTrusted) {
      throw new ParleyError('untrusted', t('{0} was not started: {1} is not trusted', title, workspace.location), {
        nextStep: t('Trust the workspace (“Workspaces: Manage Workspace Trust”), or select one of your own agents.'),
      });
    }
    const content = definitionContent(definition);
    if (this.approvals.decision(subjectOf(definition), content) === 'allowed') return;
    if (await this.#askOnce(definition, content)) return;
    throw new ParleyError('untrusted', t('{0} was not started: you did not allow it', title), {
      nextStep: t('Start the agent again to review its definition, or select another agent.'),
    });
  }

  #askOnce(definition: WorkspaceAgent, content: string): Promise<boolean> {
    const key = `${definition.name} ${contentHash(content)}`;
    const confirmation =
      this.#confirmations.get(key) ??
      this.#showConfirmation(definition, content).finally(() => this.#confirmations.delete(key));
    this.#confirmations.set(key, confirmation);
    return confirmation;
  }

  async #showConfirmation(definition: WorkspaceAgent, content: string): Promise<boolean> {
    const { title, workspace } = definition;
    const isAllowed = await confirmInFull(this.documents, {
      message: t('Start the agent “{0}” defined by {1}?', title, workspace.location),
      lines: describeAgent(definition, this.folder()),
      notes: NOTES,
      isChanged: this.approvals.isKnown(subjectOf(definition)),
      yes: t('Start Agent'),
      no: t('Don’t Start'),
      tab: title,
    });
    if (isAllowed) await this.approvals.store(subjectOf(definition), content, 'allowed');
    return isAllowed;
  }
}

const NOTES = [
  t('The agent runs with your permissions, like any program you start.'),
  t('Parley asks again if this definition changes. Parley cannot detect changes to the program itself.'),
];

function subjectOf({ name }: WorkspaceAgent): string {
  return `agent:${name}`;
}
