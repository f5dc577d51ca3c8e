// Protected by test/unit/mcp/userServers/ending.test.ts: the end of a server is awaited.
import { errorMessage } from '../../base/errors';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { KeyValueStore } from '../../node/fs/keyValueFiles';
import type { SessionHandle } from '../../session/sessionHandle';
import type { DefinitionPins } from '../availability/definitionPins';
import { pinKey } from '../availability/definitionPins';
import type { ServerMessages } from '../contract/serverMessages';
import type {
  HeldBackTools,
  Tool,
  ToolPrompt,
  ToolResource,
  ToolResourceTemplate,
  ToolServer,
} from '../contract/toolServerTypes';
import type { AccountChange } from './auth/oauthGrant';
import type { Account } from './auth/serverAccount';
import { AvailableDefinitions } from './availableDefinitions';
import type { ServerDefinition, ServerLaunch } from './config/serverDefinition';
import { serverIdentity } from './config/serverDefinition';
import { ListingCacheEntry } from './connection/listingCache';
import type { ConnectionState } from './connection/mcpClientErrors';
import { connectingText, toShortError } from './connection/mcpClientErrors';
import { RunningCalls } from './connection/runningCalls';
import type { OpenConnection } from './connection/serverConnection';
import { ServerConnection } from './connection/serverConnection';
import type { ServerClient } from './connection/serverListing';
import type { ConnectionListener, ServerWindow } from './connection/serverWindow';
import { ListingPreview } from './listingPreview';
import type { PrepareResult, ServerLauncher } from './serverLauncher';
import type { Route } from './serverRoute';

/** What the window decides about its servers. */
export interface UserServerOwner {
  /** The route to a chat's agent; undefined before that agent was started. */
  routeOf(server: UserServer, session: SessionHandle): Route | undefined;
  /** Absolute; where a process without a `cwd` runs. */
  folderOf(server: UserServer): string;
}

/**
 * An MCP server of the user. Consent, inputs and command are prepared before Parley declares it to an agent or connects to it. Stays the
 * same object for agents when its definition changes.
 */
export class UserServer implements ToolServer, Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  readonly #connection: ServerConnection;
  readonly #definitions: AvailableDefinitions;
  readonly lister: ListingPreview;
  readonly #calls: RunningCalls;
  #definition: ServerDefinition;
  #preparation: PrepareResult = { status: 'none' };
  #preparing: Promise<void> | undefined;
  /** Aborts prompts about the current definition. */
  #asking = new AbortController();
  readonly #account = this.#store.add(new MutableDisposable<Account>());
  /** The connection was closed by a sign-out in another window; a sign-in there reconnects. */
  #isSignedOutInOtherWindow = false;

  readonly onDidChange: Event<void> = this.#onDidChange.event;
  readonly onDidUpdate: Event<string>;

  /** @param stored listings and pins, kept across restarts */
  constructor(
    definition: ServerDefinition,
    private readonly owner: UserServerOwner,
    private readonly launcher: ServerLauncher,
    private readonly window: ServerWindow,
    private readonly pins: DefinitionPins,
    private readonly stored: KeyValueStore,
  ) {
    this.#definition = definition;
    const { name } = definition;
    const calls = (this.#calls = new RunningCalls(name));
    const { log, clock } = window;
    const lists = new ListingCacheEntry(stored, () => listKey(this.identity), clock);
    const connection = new ServerConnection(name, (listener) => this.#open(listener, calls), lists, clock, log);
    // The server cannot ask the user during a preview: there is no call.
    const preview: OpenConnection = (listener) => this.#open(listener, new RunningCalls(name));
    this.lister = this.#store.add(new ListingPreview(name, preview, clock, log));
    this.#store.add(this.lister.onDidChange(() => this.#onDidChange.fire()));
    this.#connection = this.#store.add(connection);
    this.onDidUpdate = connection.onDidUpdate;
    this.#definitions = new AvailableDefinitions(
      connection,
      calls,
      pins,
      () => this.identity,
      () => this.#definition.tools,
      log,
    );
    this.#store.add(connection.onDidChange(() => this.#applyListing()));
    this.#store.add(pins.onDidChange((key) => key === this.identity && this.#applyDecisions()));
  }

  get name(): string {
    return this.#definition.name;
  }

  /** Of the current definition: another command is another server. */
  get identity(): string {
    return serverIdentity(this.#definition);
  }

  get title(): string {
    return this.#connection.listing?.title ?? this.name;
  }

  get description(): string {
    return t('Defined in {0}', this.#definition.origin.label);
  }

  get instructions(): string {
    return this.#definitions.instructions;
  }

  get definition(): ServerDefinition {
    return this.#definition;
  }

  get tools(): readonly Tool[] {
    return this.#definitions.tools;
  }

  get resources(): readonly ToolResource[] {
    return this.#definitions.resources;
  }

  get templates(): readonly ToolResourceTemplate[] {
    return this.#definitions.templates;
  }

  /** Undefined for a server that never required a sign-in. */
  get account(): Account | undefined {
    return this.#account.value?.state && this.#account.value;
  }

  get heldBack(): HeldBackTools {
    return this.#definitions.heldBack;
  }

  prompts(): readonly ToolPrompt[] {
    return this.#definitions.prompts;
  }

  get messages(): ServerMessages {
    return this.#connection.messages;
  }

  complete(params: JsonObject): Promise<JsonObject> {
    return this.#connection.complete(params).catch((error: unknown) => {
      throw toShortError(error);
    });
  }

  watch(uri: string): Disposable {
    return this.#connection.watches.add(uri);
  }

  /** Replaces the definition, then prepares and starts the server again. */
  async redefine(definition: ServerDefinition): Promise<void> {
    const isReset = this.lister.reset();
    this.pins.stopTracking(this.identity);
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#definition = definition;
    this.#preparation = { status: 'none' };
    this.#preparing = undefined;
    this.#isSignedOutInOtherWindow = false;
    this.#account.value = undefined;
    this.#calls.end();
    await Promise.all([isReset, this.#connection.stop()]);
  }

  /** Prepares the server; with `isGateway` also connects. Never rejects; may wait for the user. */
  async prepare(isGateway: boolean, isRepeated = false): Promise<void> {
    if (this.#preparation.status === 'stuck') this.#preparing = undefined;
    if (isRepeated && this.#isUnreviewed) this.launcher.review(this.#definition);
    this.#preparing ??= this.#prepare(isRepeated);
    await this.#preparing;
    if (this.#asking.signal.aborted || !isGateway || this.#preparation.status !== 'ready') return;
    void this.lister.cancel();
    const isStarted = this.#connection.start();
    // The cached listing is available at once; calls wait for the connection.
    if (this.#connection.listing === undefined) await isStarted;
  }

  /** Connects for the user, to a server that no agent may use through Parley. */
  connect(): Promise<void> {
    return this.prepare(true);
  }

  /** Reconnects, or lists again, bypassing the cache. */
  async refresh(): Promise<void> {
    if (this.#connection.state.status === 'stopped') return;
    await this.#connection.refresh();
  }

  /** Whether a chat has used Parley's connection in this window. */
  get isConnected(): boolean {
    return this.#connection.state.status !== 'stopped';
  }

  /** Undefined while agents use a connection, which has the listing. */
  get preview(): ToolServer['preview'] {
    const listing = this.isConnected ? undefined : this.lister.listing;
    return listing && this.#definitions.previewOf(listing);
  }

  get needsSetup(): boolean {
    return this.isStuck || this.#isUnreviewed || (this.#preparation.status === 'none' && this.lister.isWaiting);
  }

  /** The user's consent is asked for. */
  get #isUnreviewed(): boolean {
    return this.#preparation.status === 'working' && this.#preparation.isUnreviewed === true;
  }

  /** Lists the server for the Tools panel, without a question to the user. Never rejects. */
  async list(isForced: boolean): Promise<void> {
    if (this.isConnected || this.isStuck) return;
    const { signal } = this.#asking;
    const why = this.#preparation.status === 'none' ? await this.launcher.setupText(this.#definition) : undefined;
    if (signal.aborted || this.isConnected) return;
    if (why !== undefined) {
      this.lister.wait(why);
      return;
    }
    await this.prepare(false);
    if (!signal.aborted && !this.isConnected && this.start) await this.lister.list(isForced);
  }

  /** Undefined until the server is prepared. */
  get start(): ServerLaunch | undefined {
    return this.#preparation.status === 'ready' ? this.#preparation.start : undefined;
  }

  unavailableReason(session: SessionHandle): string | undefined {
    const route = this.owner.routeOf(this, session);
    if (!route) return undefined;
    if (route.type === 'none') return route.why;
    const unready = notReadyText(this.#preparation);
    return unready ?? (route.type === 'gateway' ? unavailableConnectionText(this.#connection, this.state) : undefined);
  }

  /** Only the user can continue: a prompt or lookup failed. */
  get isStuck(): boolean {
    return this.#preparation.status === 'stuck';
  }

  /** Text for the panel, if any. */
  get state(): string | undefined {
    return stateText(this.#preparation, this.#connection.state, this.lister, this.#account.value?.state === 'required');
  }

  /** Closes the connection, and ends everything that was started for it. */
  async shutdown(): Promise<void> {
    this.#isSignedOutInOtherWindow = false;
    await Promise.all([this.lister.reset(), this.#connection.stop()]);
  }

  dispose(): void {
    this.#asking.abort();
    this.#calls.end();
    this.pins.stopTracking(this.identity);
    this.#store.dispose();
  }

  async #prepare(isRepeated: boolean): Promise<void> {
    // Aborted when the server is redefined or removed: then nothing is started for this definition.
    const { signal } = this.#asking;
    const definition = this.#definition;
    const setPreparation = (preparation: PrepareResult): void => {
      if (signal.aborted) return;
      this.#preparation = preparation;
      this.#onDidChange.fire();
    };
    try {
      const report = (label: string, isUnreviewed?: true): void =>
        setPreparation({ status: 'working', label, ...(isUnreviewed && { isUnreviewed }) });
      const folder = (): string => this.owner.folderOf(this);
      const start = await this.launcher.prepare(definition, isRepeated, folder, report, signal);
      await this.#loadStored();
      if (!signal.aborted) await this.#openAccount(definition, start, signal);
      setPreparation(typeof start === 'string' ? { status: 'stuck', why: start } : { status: 'ready', start });
    } catch (error) {
      setPreparation({ status: 'stuck', why: t('failed: {0}', errorMessage(error)) });
    }
  }

  /** Loads the stored listing and the schema check. */
  async #loadStored(): Promise<void> {
    const keys = [pinKey(this.identity), listKey(this.identity)];
    await Promise.all([this.#definitions.load(), ...keys.map((key) => this.stored.load(key))]);
  }

  /** Unless the entry has its own token, the server may require a sign-in. */
  async #openAccount(definition: ServerDefinition, start: ServerLaunch | string, signal: AbortSignal): Promise<void> {
    this.#account.value = undefined;
    if (typeof start === 'string') return;
    const reconnect = (change: AccountChange): Promise<void> => this.#reconnect(change, signal);
    const account = await this.launcher.openAccount(definition, start, reconnect);
    if (signal.aborted) account?.dispose();
    else this.#account.value = account;
  }

  /** Another account may have other tools. A server that was not connected in this window stays disconnected. */
  async #reconnect(change: AccountChange, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const isUsed = this.#isSignedOutInOtherWindow || this.isConnected;
    this.#isSignedOutInOtherWindow = isUsed && change === 'signedOutInOtherWindow';
    this.#onDidChange.fire();
    await this.lister.reset();
    if (!isUsed) return change === 'here' ? this.list(true) : undefined;
    await this.#connection.stop();
    if (change !== 'signedOutInOtherWindow' && !signal.aborted) await this.#connection.refresh();
  }

  /** @throws OpenError */
  async #open(listener: ConnectionListener, calls: RunningCalls): Promise<ServerClient> {
    const { start } = this;
    if (!start) throw new Error(t('the server is not ready'));
    const server = { start, folder: this.owner.folderOf(this), account: this.#account.value };
    const { openClient } = await import('./connection/mcpClient');
    const client = await openClient(this.window, server, calls, listener);
    if (client.start !== start && this.start === start) {
      this.#preparation = { status: 'ready', start: client.start };
      this.#onDidChange.fire();
    }
    return client;
  }

  #applyListing(): void {
    this.#definitions.setListing(this.#connection.listing);
    this.#onDidChange.fire();
  }

  #applyDecisions(): void {
    this.#definitions.applyDecisions();
    this.#onDidChange.fire();
  }
}

function listKey(key: string): string {
  return `listing:${key}`;
}

/**
 * State text for the panel, if any.
 * @param isSignInRequired nothing works before the user has signed in
 */
function stateText(
  preparation: PrepareResult,
  connection: ConnectionState,
  preview: ListingPreview,
  isSignInRequired: boolean,
): string | undefined {
  if (preparation.status === 'working') return preparation.label;
  if (preparation.status === 'stuck') return preparation.why;
  if (isSignInRequired) return t('needs sign-in');
  if (connection.status === 'connecting') return connectingText(connection.isSilent);
  if (connection.status === 'ready') return t('ready');
  if (connection.status === 'stopped') {
    const isExpected = preparation.status === 'none' || preview.listing !== undefined;
    return preview.text ?? (isExpected ? undefined : t('not connected'));
  }
  const { message, again, tail } = connection;
  const detail =
    again === undefined ? t('failed: {0}', message) : t('failed: {0} (retrying in {1} s)', message, again / 1000);
  return tail === '' ? detail : `${detail}\n${tail}`;
}

/** Why a server is neither passed on nor connected yet, if so. */
function notReadyText(preparation: PrepareResult): string | undefined {
  if (preparation.status === 'none') return t('not requested yet');
  if (preparation.status === 'working') return preparation.label;
  return preparation.status === 'stuck' ? preparation.why : undefined;
}

/**
 * The reason why a connection cannot be called now or soon; undefined if it can.
 * @param state text of the server's state
 */
function unavailableConnectionText(
  { state: connection, listing }: ServerConnection,
  state: string | undefined,
): string | undefined {
  const hasFailed = connection.status === 'failed' && connection.again === undefined;
  return hasFailed || listing === undefined ? (state ?? t('not connected')) : undefined;
}
