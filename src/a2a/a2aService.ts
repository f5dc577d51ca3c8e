import * as vscode from 'vscode';
import { errorMessage } from '../base/errors';
import type { Event } from '../base/event';
import { t } from '../base/l10n';
import { Lazy } from '../base/lazy';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { Memento } from '../base/memento';
import type { Redactor } from '../base/redactor';
import { allScopeValues } from '../base/settingScopes';
import { escapeInvisibleInline, escapeMarkdownLinks } from '../base/untrustedText';
import type { A2aAddress } from '../session/settings/a2aSettings';
import type { AuditLog } from '../permissions/auditLog';
import type { SessionHandle } from '../session/sessionHandle';
import type { EntryDecisions, AddressEntry } from './agents/configuredAddresses';
import { ConfiguredAddresses } from './agents/configuredAddresses';
import type { AgentServers } from './agents/a2aAgentServers';
import type { AddServer, SessionTools } from './sessionTools';
import type { Gateway } from './gateway/a2aGateway';
import { chooseAction, GatewayStatus, showStarted } from './gateway/gatewayStatus';
import type { ConfiguredTarget } from './gateway/callTargets';
import type { ScopedSettingsReader } from '../session/settings/scopedSettings';

type A2aSetting = 'a2a.targets' | 'a2a.agents';

export interface GatewayDeps {
  readonly log: Logger;
  readonly version: string;
  readonly redactor: Pick<Redactor, 'add'>;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly sessionTools: SessionTools & Disposable & { close(sessionId: string): void };
  /**
   * Settles when all tool servers available to sessions are registered; sessions without an agent have requested none.
   * Never rejects.
   */
  readonly ready: () => Promise<unknown>;
  /** Registers a tool server for sessions. */
  readonly addServer: AddServer;
  readonly settings: ScopedSettingsReader<A2aSetting>;
  readonly decisions: EntryDecisions;
  /** Shared by all windows. */
  readonly memory: Memento;
  readonly secrets: { get(owner: string, name: string): Promise<string | undefined> };
  readonly sessions: {
    readonly active: SessionHandle;
    readonly onDidClose: Event<string>;
    readonly onDidChange: Event<SessionHandle>;
    all(): readonly SessionHandle[];
  };
}

export interface A2aService extends Disposable {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Registers A2A for this window: the gateway, which a command starts, and the A2A agents of the settings. */
export function openA2a(deps: GatewayDeps): A2aService {
  const { sessions, settings, sessionTools, log } = deps;
  const store = new DisposableStore();
  store.add(sessionTools);
  store.add(sessions.onDidClose((id) => sessionTools.close(id)));
  const isAny = (): boolean =>
    allScopeValues(settings.scoped('a2a.agents')).some((value) => Object.keys(value).length > 0);
  // Loaded when a session has an agent and the settings name any A2A agents.
  const agents = store.add(new Lazy(() => createAgents(deps)));
  let isNeeded = false;
  const refresh = (): void => {
    if (!isNeeded || (!agents.isLoaded && !isAny())) return;
    const failed = (error: unknown): void => log.error('a2a', `A2A agents: ${errorMessage(error)}`);
    agents
      .load()
      .then((loaded) => loaded.refresh())
      .catch(failed);
  };
  store.add(settings.onDidChange(refresh));
  store.add(
    sessions.onDidChange(({ state }) => {
      if (isNeeded || !state.agent || !vscode.workspace.isTrusted) return;
      isNeeded = true;
      refresh();
    }),
  );
  const targets = createBook(deps, 'a2a.targets');
  const gateway = store.add(new Lazy(() => createGateway(deps, targets)));
  const running = store.add(new GatewayStatus());
  const stopIt = async (): Promise<void> => stop(gateway.value, running);
  return {
    start: async () => {
      if (running.address) await chooseAction(running.address, stopIt);
      else await start(targets, running, gateway);
    },
    stop: stopIt,
    dispose: () => store.dispose(),
  };
}

async function createGateway(deps: GatewayDeps, targets: ConfiguredAddresses): Promise<Gateway> {
  const chunk = await import('./a2aChunk');
  await deps.ready();
  const { log, version, redactor, audit, sessionTools, sessions } = deps;
  const listed = (): readonly ConfiguredTarget[] => targets.all().map(toTarget);
  return new chunk.Gateway({
    log,
    version,
    redactor,
    audit,
    sessionTools,
    listed,
    now: () => Date.now(),
    sessions: () => sessions.all(),
    active: () => sessions.active,
  });
}

function toTarget(entry: AddressEntry): ConfiguredTarget {
  const { url, path } = entry.address;
  return { alias: entry.name, url, ...(path !== undefined && { path }), headers: () => entry.headers() };
}

async function createAgents(deps: GatewayDeps): Promise<AgentServers> {
  const chunk = await import('./a2aChunk');
  const agents: AgentServers = new chunk.AgentServers({
    book: createBook(deps, 'a2a.agents'),
    add: deps.addServer,
    memory: deps.memory,
    log: deps.log,
    changed: askAboutCard,
    failed: (name, reason) => void showFailure(name, reason, () => agents.refresh()),
  });
  return agents;
}

function createBook({ settings, decisions, secrets, redactor }: GatewayDeps, setting: A2aSetting): ConfiguredAddresses {
  return new ConfiguredAddresses({
    setting,
    scopes: () => settings.scoped(setting),
    decisions,
    ask: (name, address) => askAboutEntry(setting, name, address),
    secret: (owner, name) => secrets.get(owner, name),
    redactor,
  });
}

async function start(targets: ConfiguredAddresses, running: GatewayStatus, lazyGateway: Lazy<Gateway>): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    const manage = t('Manage Trust');
    const message = t(
      'The A2A gateway starts only in trusted workspaces because it gives clients access to workspace tools.',
    );
    if ((await vscode.window.showWarningMessage(message, manage)) === manage)
      await vscode.commands.executeCommand('workbench.trust.manage');
    return;
  }
  try {
    await targets.decide();
    const gateway = await lazyGateway.load();
    const address = await gateway.start();
    await running.set(address);
    // Not awaited: the command has finished, and the notification stays open until the user closes it.
    void showStarted(address, gateway);
  } catch (error) {
    void vscode.window.showErrorMessage(t('Could not start the A2A gateway: {0}', errorMessage(error)));
  }
}

async function stop(gateway: Gateway | undefined, running: GatewayStatus): Promise<void> {
  const wasStarted = gateway?.isStarted === true;
  await gateway?.stop();
  await running.set(undefined);
  const message = wasStarted
    ? t('The A2A gateway stopped. Its token is no longer valid.')
    : t('The A2A gateway is not running.');
  void vscode.window.showInformationMessage(message);
}

const ALLOW = t('Allow');
const REFUSE = t('Reject');

/** The user sees the full URL of a workspace entry before it is requested (docs/security.md, row 3). */
async function askAboutEntry(setting: A2aSetting, name: string, address: A2aAddress): Promise<boolean | undefined> {
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
  const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, ALLOW, REFUSE);
  return answer === undefined ? undefined : answer === ALLOW;
}

async function askAboutCard(name: string, url: string): Promise<boolean> {
  const message = t(
    'The description of the A2A agent “{0}” at {1} has changed. Its tools are unavailable until you allow them.',
    escapeInvisibleInline(name),
    url,
  );
  return (await vscode.window.showWarningMessage(escapeMarkdownLinks(message), ALLOW)) === ALLOW;
}

async function showFailure(name: string, reason: string, retry: () => Promise<void>): Promise<void> {
  const again = t('Try Again');
  const message = t(
    'The A2A agent “{0}” is unavailable: {1}',
    escapeInvisibleInline(name),
    escapeInvisibleInline(reason),
  );
  if ((await vscode.window.showWarningMessage(escapeMarkdownLinks(message), again)) === again) await retry();
}
