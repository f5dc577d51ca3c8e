import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import { DEMO_AGENT, isNothingConfigured, unusableAgentReason } from '../agent/config/agentSettings';
import { omitUndefined } from '../base/json';
import { escapeInvisible } from '../base/untrustedText';
import type { AgentSummary, NoAgent, PageEnvironment } from '../shared/protocol/chatPageProtocol';
import { pageFolders } from './sessions/folderCommands';
import type { UiDeps } from './uiDeps';

/** The data of a page that all pages share. */
export function pageEnvironmentOf(options: UiDeps): PageEnvironment {
  const found = options.installs.found();
  return {
    agents: options.settings.agents().map(summaryOf),
    found: found.map(({ id, title, path, args }) => ({ name: id, title, description: [path, ...args].join(' ') })),
    trusted: vscode.workspace.isTrusted,
    ...omitUndefined({ noAgent: noAgent(options.settings) }),
    prompts: options.prompts.commands(),
    follow: options.follow.status,
    ...omitUndefined({ folders: pageFolders() }),
    thoughts: options.settings.get('thoughts'),
    suggestions: options.settings.get('suggestions'),
    budget: options.settings.get('budget'),
    // In a remote window this process does not run on the user's computer.
    mac: process.platform === 'darwin' && vscode.env.remoteName === undefined,
  };
}

function noAgent(settings: UiDeps['settings']): NoAgent | undefined {
  const given = [settings.agents(), settings.get('defaultAgent'), settings.problems] as const;
  if (isNothingConfigured(...given)) return 'demo';
  const reason = unusableAgentReason(...given);
  return reason === undefined ? undefined : { reason: escapeInvisible(reason) };
}

function summaryOf({ name, title, description }: AgentDefinition): AgentSummary {
  const summary = { name, title, description };
  return name === DEMO_AGENT ? { ...summary, builtIn: true } : summary;
}
