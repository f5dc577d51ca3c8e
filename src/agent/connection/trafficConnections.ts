import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { toDisposable } from '../../base/lifecycle';
import type { TrafficRecorder } from '../traffic/trafficRecorder';
import type { AgentConnection } from './agentConnection';

/** Number of ended connections whose messages are retained. */
const MAX_ENDED_CONNECTIONS = 8;

export interface TrafficConnection {
  readonly id: number;
  readonly title: string;
  readonly status: ConnectionStatus;
  readonly ring: TrafficRecorder;
}

export type ConnectionStatus = AgentConnection['state']['status'];

interface MutableConnection {
  readonly id: number;
  readonly title: string;
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
  add(title: string, { traffic, state, onDidChangeState }: AgentConnection): Disposable {
    const connection: MutableConnection = {
      id: this.#next++,
      title,
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
      this.#pruneEnded();
      this.#onDidChange.fire();
    });
  }

  dispose(): void {
    this.#onDidChange.dispose();
    this.#connections = [];
  }

  #pruneEnded(): void {
    const ended = this.#connections.filter(({ isEnded }) => isEnded);
    const old = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED_CONNECTIONS)));
    this.#connections = this.#connections.filter((connection) => !old.has(connection));
  }
}
