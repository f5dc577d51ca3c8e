import * as vscode from 'vscode';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { DEMO_AGENT } from '../../agent/config/agentSettings';
import type { DetectedAgent } from '../../agent/registry/findOnPath';
import { t } from '../../base/l10n';
import type { EditApprovalMemory } from '../../permissions/editApprovalMemory';
import type { Sessions } from '../../session/sessions';
import type { SelectedAgent } from './agentPickItems';
import { selectItems } from './agentPickItems';
import type { InstallAgent } from './installAgent';
import { asQuickPick } from './installAgent';
import { useAgent } from './useAgent';

/** Changes the agent of the shown chat, or opens a new chat if this one has messages. */
export async function selectAgent(
  sessions: Sessions,
  agents: readonly AgentDefinition[],
  found: readonly DetectedAgent[],
  installAgent: Pick<InstallAgent, 'show' | 'add'>,
  editApprovals: Pick<EditApprovalMemory, 'asksBeforeEdits'>,
): Promise<void> {
  const placeHolder =
    sessions.active.state.entries.count > 0
      ? t('Select an agent to open a new chat')
      : t('Select an agent for this chat');
  const value = await pickAgent(
    { title: t('Select Agent'), placeHolder },
    agents,
    found,
    editApprovals,
    sessions.active.state.agent?.name,
  );
  if (value === undefined) return;
  if (value === 'install') await installAgent.show();
  else if ('found' in value) await installAgent.add(value.found.id);
  else await useAgent(sessions.active, value.name, (name) => sessions.newChat(name));
}

/** Undefined when the user closed the list. */
export async function pickAgent(
  texts: Pick<vscode.QuickPickOptions, 'title' | 'placeHolder'>,
  agents: readonly AgentDefinition[],
  found: readonly DetectedAgent[],
  asking: Pick<EditApprovalMemory, 'asksBeforeEdits'>,
  current?: string,
): Promise<SelectedAgent | undefined> {
  const items = asQuickPick(selectItems(agents, found, current, DEMO_AGENT, (name) => asking.asksBeforeEdits(name)));
  return (await vscode.window.showQuickPick(items, { ...texts, matchOnDetail: true }))?.value;
}
