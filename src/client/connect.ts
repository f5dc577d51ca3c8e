import { terminalAuthFeature } from '../agent/auth';
import type { ConnectionOptions } from '../agent/connection';
import { AgentConnection } from '../agent/connection';
import type { AgentDefinition } from '../agent/definition';
import type { ClientFeature } from '../agent/features';
import type { JsonObject } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Agents } from '../session/agents';
import type { FileTouch } from '../session/fileTouch';
import { updatesFeature } from '../session/offers';
import type { SessionLookup } from '../session/port';
import { elicitationFeature } from './elicitation';
import type { FileFeature } from './files';
import { fileFeature } from './files';
import { permissionFeature } from './permissions';
import type { TerminalFeature } from './terminals';
import { terminalFeature } from './terminals';

type Connected = ReturnType<ConstructorParameters<typeof Agents>[0]['connect']>;

export interface ClientOptions extends Pick<ConnectionOptions, 'allow' | 'clientInfo' | 'log' | 'secrets' | 'traffic'> {
  /** Where an agent without a folder of its own starts: absolute. */
  readonly cwd: () => string;
  /** `parley.terminal.outputLimit`, bytes. */
  readonly outputLimit: () => number;
  /** Told of every file that an agent has read or written through the editor. */
  readonly touched: (touch: FileTouch) => void;
  /** Told of every new connection. The returned part ends with the connection. */
  readonly connected: (definition: AgentDefinition, connection: AgentConnection) => Disposable;
}

/** Makes the connections to agents, each with everything that this client offers it. */
export class Client {
  readonly #options: ClientOptions;
  readonly #terminals = new Set<TerminalFeature>();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Stops the command of a terminal, whichever agent it belongs to. */
  stopCommand(terminalId: string): void {
    for (const terminals of this.#terminals) terminals.stop(terminalId);
  }

  /** Shows a terminal in the panel. False when it is gone. */
  showTerminal(terminalId: string): boolean {
    return [...this.#terminals].some((terminals) => terminals.show(terminalId));
  }

  /** A connection that has not been started, and what ends with it. */
  connect(
    definition: AgentDefinition,
    lookup: SessionLookup,
    onUpdate: (sessionId: string, update: JsonObject) => void,
  ): Connected {
    const { cwd, connected, outputLimit, touched, ...shared } = this.#options;
    const services = new DisposableStore();
    const { log } = shared;
    const missingFileIsEmpty = (): boolean => connection.quirk?.missingFileIsEmpty === true;
    const files = services.add(fileFeature({ lookup, log, missingFileIsEmpty, touched }));
    const terminals = services.add(terminalFeature({ lookup, log, outputLimit }));
    this.#terminals.add(terminals);
    services.defer(() => this.#terminals.delete(terminals));
    const features = [files, terminals, ...plainFeatures(lookup)];
    const connection = new AgentConnection({ ...shared, definition, cwd: cwd(), features, onUpdate });
    services.add(connected(definition, connection));
    const sessionClosed = (agentSessionId: string): void => endSession(agentSessionId, files, terminals);
    return { connection, services: { sessionClosed, dispose: () => services.dispose() } };
  }
}

/** What needs nothing but the sessions. */
function plainFeatures(lookup: SessionLookup): ClientFeature[] {
  return [permissionFeature({ lookup }), elicitationFeature({ lookup }), updatesFeature(), terminalAuthFeature()];
}

function endSession(agentSessionId: string, files: FileFeature, terminals: TerminalFeature): void {
  files.forget(agentSessionId);
  void terminals.releaseAll(agentSessionId);
}
