import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/definition';
import { useAgent } from './intents';
import type { ViewSessions } from './ports';

/** "Select Agent": gives the shown chat to another agent, or opens a new chat with it when this one has begun. */
export async function selectAgent(sessions: ViewSessions, agents: readonly AgentDefinition[]): Promise<void> {
  const current = sessions.active.state.agent?.name;
  const items = agents.map(({ name, title, description }) => ({
    label: title,
    description: name === current ? 'of this chat' : '',
    detail: description,
    name,
  }));
  const placeHolder =
    sessions.active.state.entries.count > 0
      ? 'A new chat is opened with the agent you choose'
      : 'Choose an agent for this chat';
  const chosen = await vscode.window.showQuickPick(items, { title: 'Select Agent', placeHolder, matchOnDetail: true });
  if (chosen) await useAgent(sessions, chosen.name);
}
