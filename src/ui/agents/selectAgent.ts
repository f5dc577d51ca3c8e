import * as vscode from 'vscode';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { DEMO_AGENT } from '../../agent/config/agentSettings';
import type { DetectedAgent } from '../../agent/registry/findOnPath';
import { t } from '../../base/l10n';
import { selectItems } from './agentPickItems';
import type { InstallAgent } from './installAgent';
import { asQuickPick } from './installAgent';
import { useAgent } from '../chat/intents/intentRouter';
import type { UiSessions } from '../uiTypes';

/** Changes the agent of the shown chat, or opens a new chat if this one has messages. */
export async function selectAgent(
  sessions: UiSessions,
  agents: readonly AgentDefinition[],
  found: readonly DetectedAgent[],
  installAgent: Pick<InstallAgent, 'show' | 'add'>,
): Promise<void> {
  const items = asQuickPick(selectItems(agents, found, sessions.active.state.agent?.name, DEMO_AGENT));
  const placeHolder =
    sessions.active.state.entries.count > 0
      ? t('Select an agent to open a new chat')
      : t('Select an agent for this chat');
  const chosen = await vscode.window.showQuickPick(items, {
    title: t('Select Agent'),
    placeHolder,
    matchOnDetail: true,
  });
  const value = chosen?.value;
  if (value === undefined) return;
  if (value === 'install') await installAgent.show();
  else if ('found' in value) await installAgent.add(value.found.id);
  else await useAgent(sessions.active, value.name, (name) => sessions.newChat(name));
}
