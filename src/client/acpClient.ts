import * as vscode from 'vscode';
import { terminalAuthFeature } from '../agent/connection/authMethods';
import { AgentConnection } from '../agent/connection/agentConnection';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { ConnectionOptions } from '../agent/connection/agentLaunch';
import type { ClientFeature } from '../agent/connection/clientFeature';
import type { JsonObject } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Connect, ConnectionContribution } from '../session/agents/sharedAgent';
import type { FileAccess, SessionLookup } from '../session/sessionHandle';
import { sessionUpdateCapabilitiesFeature } from '../session/agents/sessionUpdateCapabilities';
import { accountLimitsFeature } from './accountLimitsFeature';
import { elicitationFeature } from './elicitationFeature';
import { FileSystemFeature } from './fs/fileSystemFeature';
import type { EditReview } from './fs/writeTextFile';
import { permissionFeature } from './permissionFeature';
import { NodePtyLoader } from './terminal/nodePty';
import { TerminalFeature } from './terminal/terminalFeature';
import { TerminalMirrors } from './terminal/terminalMirrors';

type SharedOptions = Pick<ConnectionOptions, 'allow' | 'clientInfo' | 'log' | 'secrets' | 'traffic'> &
  Required<Pick<ConnectionOptions, 'startFolders'>>;

export interface ClientOptions extends SharedOptions {
  /** Absolute; where agents without a folder start. */
  readonly cwd: () => string;
  /** `parley.terminal.outputLimit`, bytes. */
  readonly outputLimit: () => number;
  /** Called for every file that an agent has read or written through the editor. */
  readonly onDidAccessFile: (access: FileAccess) => void;
  readonly review: EditReview;
  /** Creates the features that another room adds to a connection. `connection` is available once it exists. */
  readonly createContribution: (
    definition: AgentDefinition,
    connection: () => AgentConnection,
  ) => ConnectionContribution;
  /** Called for every new connection. The result is disposed with the connection. */
  readonly registerConnection: (definition: AgentDefinition, connection: AgentConnection) => Disposable;
}

/** Creates connections to agents with all client features. */
export class AcpClient implements Disposable {
  readonly #options: ClientOptions;
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

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#pty = new NodePtyLoader(vscode.env.appRoot, options.log);
  }

  stopCommand(terminalId: string): void {
    for (const terminals of this.#terminals) terminals.stop(terminalId);
  }

  dispose(): void {
    this.mirrors.dispose();
  }

  /** A connection that is not started yet, and its disposable. */
  connect(
    definition: AgentDefinition,
    lookup: SessionLookup,
    onUpdate: (sessionId: string, update: JsonObject) => void,
  ): ReturnType<Connect> {
    const { cwd, registerConnection, outputLimit, createContribution, onDidAccessFile, review, ...shared } =
      this.#options;
    const services = new DisposableStore();
    const { log } = shared;
    const missingFileIsEmpty = (): boolean => connection.quirk?.missingFileIsEmpty === true;
    const files = services.add(new FileSystemFeature({ lookup, log, missingFileIsEmpty, onDidAccessFile, review }));
    const terminals = services.add(new TerminalFeature({ lookup, log, outputLimit, pty: this.#pty }));
    this.#terminals.add(terminals);
    services.defer(() => this.#terminals.delete(terminals));
    const contribution = createContribution(definition, () => connection);
    services.add(contribution.services);
    const features = [files, terminals, ...plainFeatures(lookup), ...contribution.features];
    const connection = new AgentConnection({ ...shared, definition, cwd: cwd(), features, onUpdate });
    services.add(registerConnection(definition, connection));
    const sessionClosed = (agentSessionId: string): void => endSession(agentSessionId, files, terminals);
    return {
      connection,
      services: { ...contribution.services, onDidCloseSession: sessionClosed, dispose: () => services.dispose() },
    };
  }
}

/** Features that only need the sessions. */
function plainFeatures(lookup: SessionLookup): ClientFeature[] {
  const others = [sessionUpdateCapabilitiesFeature(), terminalAuthFeature(), accountLimitsFeature(lookup)];
  return [permissionFeature(lookup), elicitationFeature(lookup), ...others];
}

function endSession(agentSessionId: string, files: FileSystemFeature, terminals: TerminalFeature): void {
  files.closeSession(agentSessionId);
  void terminals.releaseAll(agentSessionId);
}
