import * as vscode from 'vscode';
import { t } from '../base/l10n';
import { escapeInvisibleInline } from '../base/untrustedText';
import type { A2aAddress } from '../session/settings/a2aSettings';
import { showInformationMessage, showWarningMessage } from '../workbench/windowMessages';
import type { AgentServers, FailedAgent } from './agents/a2aAgentServers';
import type { A2aSetting } from './agents/configuredAddresses';
import type { Gateway, GatewayAddress } from './gateway/a2aGateway';

/** What the user is asked and told about A2A: a separate chunk, loaded when it is first needed. */

/** Reports the start, with buttons to copy the URL and the token. */
export async function showStarted({ url, token }: GatewayAddress, gateway: Gateway): Promise<void> {
  const message = t(
    'The A2A gateway is running at {0}. Anyone with its token can use the tools of your sessions, subject to your rules.',
    url,
  );
  const remaining = new Map([
    [t('Copy URL'), url],
    [t('Copy Token'), token],
  ]);
  while (remaining.size > 0 && gateway.isStarted) {
    const chosen = await showInformationMessage(message, ...remaining.keys());
    const text = chosen === undefined ? undefined : remaining.get(chosen);
    if (chosen === undefined || text === undefined) return;
    await vscode.env.clipboard.writeText(text);
    remaining.delete(chosen);
  }
}

/**
 * Offers the actions for a running gateway.
 * @param stop stops the gateway
 */
export async function chooseAction({ url, token }: GatewayAddress, stop: () => Promise<void>): Promise<void> {
  const copy = (label: string, detail: string, text: string): vscode.QuickPickItem & { run(): PromiseLike<void> } => ({
    label: `$(copy) ${label}`,
    detail,
    run: () => vscode.env.clipboard.writeText(text),
  });
  const items = [
    copy(t('Copy URL'), url, url),
    copy(t('Copy Token'), t('Valid until the gateway stops. Clients send it as a bearer token'), token),
    {
      label: `$(debug-stop) ${t('Stop A2A Gateway')}`,
      detail: t('Cancels running calls and invalidates the token'),
      run: stop,
    },
  ];
  const placeHolder = t('The A2A gateway is running at {0}', url);
  const chosen = await vscode.window.showQuickPick(items, { title: t('A2A Gateway'), placeHolder });
  await chosen?.run();
}

export async function explainTrust(): Promise<void> {
  const manage = t('Manage Trust');
  const message = t(
    'The A2A gateway starts only in trusted workspaces because it gives clients access to workspace tools.',
  );
  if ((await showWarningMessage(message, manage)) === manage)
    await vscode.commands.executeCommand('workbench.trust.manage');
}

const ALLOW = t('Allow');
const REFUSE = t('Reject');

/** The user sees the full URL of a workspace entry before it is requested (docs/security.md, row 3). */
export async function askAboutEntry(
  setting: A2aSetting,
  name: string,
  address: A2aAddress,
): Promise<boolean | undefined> {
  const message =
    setting === 'a2a.targets'
      ? t('Allow this workspace to connect the A2A gateway to “{0}”?', escapeInvisibleInline(name))
      : t('Allow this workspace to offer the A2A agent “{0}” to your agents?', escapeInvisibleInline(name));
  const headers = Object.entries(address.headers).map(([header, value]) => `${header}: ${value}`);
  const lines = [
    t('URL: {0}', address.url),
    ...(address.path === undefined ? [] : [t('Path: {0}', address.path)]),
    ...(headers.length === 0 ? [t('Headers: none')] : [t('Headers:'), ...headers]),
  ];
  const detail = lines.map(escapeInvisibleInline).join('\n');
  const answer = await showWarningMessage(message, { modal: true, detail }, ALLOW, REFUSE);
  return answer === undefined ? undefined : answer === ALLOW;
}

export async function askAboutCard(name: string, url: string): Promise<boolean> {
  const message = t(
    'The description of the A2A agent “{0}” at {1} has changed. Its tools are unavailable until you allow them.',
    escapeInvisibleInline(name),
    url,
  );
  return (await showWarningMessage(message, ALLOW)) === ALLOW;
}

export async function showFailure({ name, reason }: FailedAgent, agents: AgentServers): Promise<void> {
  const again = t('Try Again');
  const message = t(
    'The A2A agent “{0}” is unavailable: {1}',
    escapeInvisibleInline(name),
    escapeInvisibleInline(reason),
  );
  if ((await showWarningMessage(message, again)) === again) await agents.refresh();
}
