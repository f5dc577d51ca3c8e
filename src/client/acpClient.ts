import * as vscode from 'vscode';
import type { ClientFeature } from '../agent/clientFeature';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import { AgentConnection } from '../agent/connection/agentConnection';
import type { AgentEnvironment } from '../agent/connection/agentLaunch';
import { terminalAuthFeature } from '../agent/connection/authMethods';
import type { TrafficConnections } from '../agent/connection/trafficConnections';
import { Emitter } from '../base/event';
import type { JsonObject } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { PlainSettingsReader } from '../base/settings';
import { sessionUpdateCapabilitiesFeature } from '../session/agents/sessionUpdateCapabilities';
import type { AgentServices, Connect, ConnectionContribution } from '../session/agents/sharedAgent';
import type { FileAccess, SessionLookup } from '../session/sessionHandle';
import { workingFolder } from '../workbench/workspaceFolders';
import { accountLimitsFeature } from './accountLimitsFeature';
import { cursorFeature } from './cursorFeature';
import { elicitationFeature } from './elicitationFeature';
import { FileSystemFeature } from './fs/fileSystemFeature';
import type { EditReview } from './fs/writeTextFile';
import { permissionFeature } from './permissionFeature';
import { NodePtyLoader } from './terminal/nodePty';
import { TerminalFeature } from './terminal/terminalFeature';
import { TerminalMirrors } from './terminal/terminalMirrors';

/** The features that another room adds to a connection. */
interface ContributionSource {
  /** @param connection available once it exists */
  createContribution(definition: AgentDefinition, connection: () => AgentConnection): ConnectionContribution;
}

/** Creates connections to agents with all client features. */
export class AcpClient implements Disposable {
  readonly #terminals = new Set<TerminalFeature>();
  readonly #pty: NodePtyLoader;
  /** Shows output of a session's command in a terminal of the panel. */
  readonly mirrors = new TerminalMirrors((terminalId) => {
    for (const terminals of this.#terminals) {
      const tty = terminals.tty(terminalId);
      if (tty) return tty;
    }
    return undefined;
  });

  readonly #onDidAccessFile = new Emitter<FileAccess>();

  /** Fires for every file that an agent has read or written through the editor. */
  readonly onDidAccessFile = this.#onDidAccessFile.event;

  constructor(
    private readonly environment: AgentEnvironment,
    private readonly settings: PlainSettingsReader<'terminal.outputLimit'>,
    private readonly review: EditReview,
    private readonly tools: ContributionSource,
    private readonly traffic: TrafficConnections,
  ) {
    this.#pty = new NodePtyLoader(vscode.env.appRoot, environment.log);
  }

  stopCommand(terminalId: string): void {
    for (const terminals of this.#terminals) terminals.stop(terminalId);
  }

  dispose(): void {
    this.mirrors.dispose();
    this.#onDidAccessFile.dispose();
  }

  /** A connection that is not started yet, and its disposable. */
  connect(
    definition: AgentDefinition,
    lookup: SessionLookup,
    onUpdate: (sessionId: string, update: JsonObject) => void,
  ): ReturnType<Connect> {
    const services = new DisposableStore();
    const features = displayFeatures(lookup);
    const effects = definition.origin === 'replay' ? undefined : this.#effects(definition, lookup, () => connection);
    if (effects) {
      services.add(effects);
      features.push(...effects.features);
    }
    const cwd = workingFolder();
    const connection = new AgentConnection({ ...this.environment, definition, cwd, features, onUpdate });
    services.add(this.traffic.add(definition.title, connection));
    return { connection, services: { ...effects?.services, dispose: () => services.dispose() } };
  }

  /** What an agent may do in the editor: files, terminals, sign-in, tool servers. */
  #effects(
    definition: AgentDefinition,
    lookup: SessionLookup,
    connection: () => AgentConnection,
  ): Disposable & { readonly features: readonly ClientFeature[]; readonly services: Omit<AgentServices, 'dispose'> } {
    const { log } = this.environment;
    const store = new DisposableStore();
    const missingFileIsEmpty = (): boolean => connection().quirk?.missingFileIsEmpty === true;
    const files = store.add(new FileSystemFeature(lookup, log, this.review, missingFileIsEmpty));
    store.add(files.onDidAccessFile((access) => this.#onDidAccessFile.fire(access)));
    const outputLimit = (): number => this.settings.get('terminal.outputLimit');
    const terminals = store.add(new TerminalFeature(lookup, log, outputLimit, this.#pty));
    this.#terminals.add(terminals);
    store.defer(() => this.#terminals.delete(terminals));
    const contribution = this.tools.createContribution(definition, connection);
    store.add(contribution.services);
    const onDidCloseSession = (agentSessionId: string): void => {
      files.closeSession(agentSessionId);
      void terminals.releaseAll(agentSessionId);
    };
    return {
      features: [files, terminals, terminalAuthFeature(), accountLimitsFeature(lookup), ...contribution.features],
      services: { ...contribution.services, onDidCloseSession },
      dispose: () => store.dispose(),
    };
  }
}

/** Features that show something to the user and return the answer. */
function displayFeatures(lookup: SessionLookup): ClientFeature[] {
  return [
    permissionFeature(lookup),
    elicitationFeature(lookup),
    cursorFeature(lookup),
    sessionUpdateCapabilitiesFeature(),
  ];
}
