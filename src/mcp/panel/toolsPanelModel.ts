import { assertNever } from '../../base/assert';
import { errorMessage } from '../../base/errors';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { t } from '../../base/l10n';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { escapeInvisible, escapeInvisibleInline } from '../../base/untrustedText';
import type { SessionHandle } from '../../session/sessionHandle';
import type {
  ToolCallItem,
  ToolServerItem,
  ToolsIntent,
  ToolsPanelState,
  ToolItem,
} from '../../shared/protocol/toolsPanelState';
import type { SettingValidation } from '../availability/settingValidation';
import type { ToolRules } from '../availability/toolFilter';
import { serverUnavailable, unavailableText, toolId, toolUnavailable } from '../availability/toolFilter';
import type { ToolFilterSettings } from '../availability/toolFilterSettings';
import type { LazyBuiltIns } from '../builtin/lazyBuiltIns';
import type { CallGate, FinishedCall } from '../calls/callGate';
import type { RegisteredServer, ToolServers } from '../contract/toolServerRegistry';
import { inSession } from '../contract/toolServerRegistry';
import type { DescribedTool, HeldBackTool, ToolListPreview, ToolServer } from '../contract/toolServerTypes';
import { outOfReachText } from '../contract/transportKind';
import type { LazyUserServers } from '../contract/userServers';
import type { HostedServers } from '../hostedServers';

/** Calls shown per session. */
const MAX_CALLS = 50;

interface ToolsPanelOptions {
  readonly servers: ToolServers;
  readonly builtIns: LazyBuiltIns;
  readonly gate: CallGate;
  readonly rules: ToolFilterSettings;
  readonly validation: SettingValidation;
  readonly hostedServers: HostedServers;
  readonly userServers: LazyUserServers;
  /** Shows an error to the user. */
  readonly showError: (sentence: string) => void;
}

export class ToolsPanelModel implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  /** By session, newest first. */
  readonly #calls = new Map<string, readonly ToolCallItem[]>();
  #lastCall = 0;

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  constructor(private readonly options: ToolsPanelOptions) {
    const { gate, hostedServers } = options;
    for (const event of [gate.onDidChange, hostedServers.onDidDeclare, options.servers.onDidReceiveMessage])
      this.#store.add(event(() => this.#onDidChange.fire()));
    this.#store.add(gate.onDidEnd((call) => this.#recordCall(call)));
    this.#store.add(hostedServers.onDidClose((id) => this.#calls.delete(id)));
  }

  stateFor(session: SessionHandle): ToolsPanelState {
    const { servers, builtIns, hostedServers, validation } = this.options;
    // Loading registers the servers, which fires a change.
    void builtIns.load();
    const rules = this.options.rules.rulesOf(session);
    const agent = session.state.agent?.title;
    const transportKind = hostedServers.declared(session.id)?.transportKind;
    return {
      trusted: rules.isTrusted,
      ...(agent !== undefined && { agent }),
      ...(transportKind && { transport: transportKind }),
      servers: servers.list().map((registered) => this.#server(session, registered, rules)),
      warnings: builtIns.isLoaded ? validation.warnings() : [],
      calls: this.#calls.get(session.id) ?? [],
    };
  }

  /** @throws Error when the change cannot be made or stored. */
  async handle(intent: ToolsIntent): Promise<void> {
    const { servers, rules, userServers } = this.options;
    switch (intent.type) {
      case 'switchTools':
        return this.#switchServer(intent.server, intent.on);
      case 'switchTool':
        return rules.enablement.setTool(intent.tool, intent.on);
      case 'decideTool': {
        const heldBack = servers.get(intent.server)?.server.heldBack;
        if (intent.accept) heldBack?.accept(intent.tool, intent.hash);
        else heldBack?.refuse(intent.tool, intent.hash);
        return;
      }
      case 'signInServer':
        return this.#signIn(intent.server);
      case 'setUpServer':
        return (await userServers.load())?.setUp(intent.server);
      case 'signOutServer':
        return servers.get(intent.server)?.server.account?.signOut();
      default:
        return assertNever(intent);
    }
  }

  /** Errors are shown, because the user waits for the result. */
  async #signIn(server: string): Promise<void> {
    const { servers, showError } = this.options;
    try {
      await servers.get(server)?.server.account?.signIn();
    } catch (error) {
      showError(errorMessage(error));
    }
  }

  async #switchServer(name: string, isOn: boolean): Promise<void> {
    const { servers, rules } = this.options;
    const registered = servers.get(name);
    if (!registered) return;
    // A switch equal to the default is not stored, so that it follows the settings.
    const isDefault = rules.isOnBySettings(registered) === isOn;
    await rules.enablement.set(name, isDefault ? undefined : isOn);
  }

  /** Notifies agents of what is available and validates settings and names again. */
  refresh(): void {
    void this.options.userServers.value?.refresh();
    void this.#refresh();
  }

  async trustedTools(): Promise<readonly string[]> {
    return (await this.options.userServers.load())?.trustedTools() ?? [];
  }

  /** Keeps the lists of the user's servers known until disposed. */
  view(session: SessionHandle): Disposable {
    const view = new Lazy(async () => (await this.options.userServers.load())?.view(session));
    void view.load();
    return view;
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #refresh(): Promise<void> {
    const { builtIns, validation, gate } = this.options;
    await builtIns.load();
    validation.validate();
    gate.invalidate();
  }

  #server(session: SessionHandle, listed: RegisteredServer, rules: ToolRules): ToolServerItem {
    const { userServers, hostedServers } = this.options;
    const byRule = serverUnavailable(listed.name, rules);
    const registered = byRule ? listed : inSession(listed, session);
    const { name, origin, server } = registered;
    const unavailableReason = byRule
      ? unavailableText(byRule)
      : (server.unavailableReason?.(session) ?? this.#outOfReach(session, name));
    const state = userServers.value?.stateOf(name);
    return {
      name,
      origin,
      // Third-party servers control their titles and errors.
      title: escapeInvisibleInline(server.title),
      description: escapeInvisible(server.description),
      isOn: rules.isOn(name),
      ...(unavailableReason !== undefined && { unavailableReason: escapeInvisible(unavailableReason) }),
      ...(state !== undefined && { state: escapeInvisible(state) }),
      ...(hostedServers.isLate(session, registered) && { isLate: true }),
      ...(hostedServers.findOutdated(session).includes(name) && { isOutdated: true }),
      ...(server.account && { signIn: server.account.status }),
      tools: toolItems(registered, rules),
      ...(server.needsSetup === true && { needsSetup: true }),
      resources: resourceUris(server.preview ?? server).map(escapeInvisibleInline),
      ...(origin !== 'builtIn' && { prompts: promptCommands(registered) }),
      ...(server.messages && {
        messages: server.messages.latest.map(({ level, text, at }) => ({ level, text: escapeInvisible(text), at })),
      }),
    };
  }

  #outOfReach({ id }: SessionHandle, name: string): string | undefined {
    const sent = this.options.hostedServers.declared(id);
    return sent?.transportKind === 'none' && !sent.names.has(name) ? outOfReachText() : undefined;
  }

  #recordCall({ session, id, at, toolMs, isError }: FinishedCall): void {
    this.#lastCall += 1;
    const call = { number: this.#lastCall, id, at, ms: toolMs, isError };
    this.#calls.set(session, [call, ...(this.#calls.get(session) ?? [])].slice(0, MAX_CALLS));
    this.#onDidChange.fire();
  }
}

/** With URI templates. */
function resourceUris({ resources = [], templates = [] }: ToolServer | ToolListPreview): readonly string[] {
  return [...resources.map(({ uri }) => uri), ...templates.map(({ pattern }) => pattern)];
}

/** What the user can type in the message box. */
function promptCommands({ name, server }: RegisteredServer): readonly string[] {
  const prompts = server.preview?.prompts ?? server.prompts?.() ?? [];
  return prompts.map((prompt) => escapeInvisibleInline(`/${name}:${prompt.name}`));
}

/** The tools of a server for the panel; tools that wait for a decision come first. */
export function toolItems({ name, server }: RegisteredServer, rules: ToolRules): readonly ToolItem[] {
  const heldBack = server.heldBack?.list() ?? [];
  const heldBackNames = new Set(heldBack.map((one) => one.name));
  const tools = server.preview?.tools.filter((tool) => !heldBackNames.has(tool.name)) ?? server.tools;
  return [
    ...heldBack.map((one) => toHeldBackItem(name, one, rules)),
    ...tools.map((tool) => toToolItem(name, tool, rules)),
  ];
}

function toToolItem(server: string, tool: DescribedTool, rules: ToolRules): ToolItem {
  const { name, title, description } = tool;
  const unavailable = toolUnavailable(server, tool, rules);
  const isSwitched = unavailable === undefined || unavailable.why === 'toolOff';
  return {
    id: toolId(server, name),
    name,
    title: escapeInvisibleInline(title),
    description: escapeInvisible(description),
    ...(unavailable && { unavailableReason: unavailableText(unavailable) }),
    ...(isSwitched && { isOn: unavailable === undefined }),
  };
}

/** A held-back tool as a panel item; its text contains both definitions. */
function toHeldBackItem(server: string, heldBack: HeldBackTool, rules: ToolRules): ToolItem {
  const { name, label, isRefused, before, after, hash } = heldBack;
  const why = reasonOf(heldBack);
  const changed = { before, after, hash, isBlocked: isRefused };
  if (label !== undefined) {
    const item = escapeInvisibleInline(label);
    return { id: item, name, title: item, description: '', isNoTool: true, unavailableReason: why, changed };
  }
  const { isOn: _isOn, ...item } = toToolItem(server, { name, title: name, description: '' }, rules);
  return { ...item, unavailableReason: item.unavailableReason ?? why, changed };
}

function reasonOf({ before, isRefused }: HeldBackTool): string {
  if (before === '') return isRefused ? t('blocked by you (new)') : t('new since you last reviewed the server');
  return isRefused ? t('blocked by you (changed)') : t('changed since you accepted it');
}
