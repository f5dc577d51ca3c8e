import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { toDisposable } from '../../base/lifecycle';
import type { TrafficRecorder } from '../traffic/trafficRecorder';
import type { AgentConnection } from './agentConnection';

/** Number of ended connections of a protocol whose messages are retained. */
const MAX_ENDED_CONNECTIONS = 8;

export interface TrafficConnection {
  readonly id: number;
  readonly title: string;
  readonly protocol: Protocol;
  readonly status: ConnectionStatus;
  readonly ring: TrafficRecorder;
}

/** With an agent, or with an MCP server or client. */
type Protocol = 'acp' | 'mcp';

export type ConnectionStatus = AgentConnection['state']['status'];

/** A connection whose messages are recorded. */
export interface RecordedConnection {
  readonly traffic: TrafficRecorder;
  readonly state: { readonly status: ConnectionStatus };
  readonly onDidChangeState: Event<RecordedConnection['state']>;
}

interface MutableConnection {
  readonly id: number;
  readonly title: string;
  readonly protocol: Protocol;
  readonly ring: TrafficRecorder;
  status: ConnectionStatus;
  isEnded: boolean;
}

/**
 * The connections of this window with their traffic. The latest ended connections are included, because problems are
 * usually inspected after the end.
 */
export class TrafficConnections implements Disposable {
  readonly #onDidChange = new Emitter<void>();
  #connections: MutableConnection[] = [];
  #next = 1;

  /** A connection was added or removed, or changed its status. */
  readonly onDidChange = this.#onDidChange.event;

  /** Oldest first. */
  all(): readonly TrafficConnection[] {
    return this.#connections;
  }

  /** @returns removes the connection when disposed */
  add(title: string, { traffic, state, onDidChangeState }: RecordedConnection, protocol: Protocol = 'acp'): Disposable {
    const connection: MutableConnection = {
      id: this.#next++,
      title,
      protocol,
      ring: traffic,
      status: state.status,
      isEnded: false,
    };
    this.#connections.push(connection);
    const following = onDidChangeState(({ status }) => {
      connection.status = status;
      this.#onDidChange.fire();
    });
    this.#onDidChange.fire();
    return toDisposable(() => {
      following.dispose();
      connection.isEnded = true;
      if (connection.status === 'ready' || connection.status === 'starting') connection.status = 'stopped';
      this.#pruneEnded(protocol);
      this.#onDidChange.fire();
    });
  }

  dispose(): void {
    this.#onDidChange.dispose();
    this.#connections = [];
  }

  /** The many connections of MCP do not displace those of agents. */
  #pruneEnded(protocol: Protocol): void {
    const ended = this.#connections.filter((connection) => connection.isEnded && connection.protocol === protocol);
    const old = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED_CONNECTIONS)));
    this.#connections = this.#connections.filter((connection) => !old.has(connection));
  }
}
