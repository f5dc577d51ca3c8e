import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { toDisposable } from '../../base/lifecycle';
import type { AgentConnection } from '../connection/agentConnection';
import type { TrafficRecorder } from './trafficRecorder';

/** Number of ended connections whose messages are retained. */
const MAX_ENDED_CONNECTIONS = 8;

export interface TrafficConnection {
  readonly id: number;
  readonly title: string;
  readonly status: ConnectionStatus;
  readonly ring: TrafficRecorder;
}

export type ConnectionStatus = AgentConnection['state']['status'];

interface Known {
  readonly id: number;
  readonly title: string;
  readonly ring: TrafficRecorder;
  status: ConnectionStatus;
  ended: boolean;
}

/**
 * The connections of this window with their traffic. The latest ended connections are included, because problems are
 * usually inspected after the end.
 */
export class TrafficConnections implements Disposable {
  readonly #changed = new Emitter<void>();
  #known: Known[] = [];
  #next = 1;

  /** A connection was added or removed, or changed its status. */
  readonly onDidChange = this.#changed.event;

  /** Oldest first. */
  all(): readonly TrafficConnection[] {
    return this.#known;
  }

  /** @returns removes the connection when disposed */
  add(
    title: string,
    { traffic, state, onDidChangeState }: Pick<AgentConnection, 'traffic' | 'state' | 'onDidChangeState'>,
  ): Disposable {
    const known: Known = { id: this.#next++, title, ring: traffic, status: state.status, ended: false };
    this.#known.push(known);
    const following = onDidChangeState(({ status }) => {
      known.status = status;
      this.#changed.fire();
    });
    this.#changed.fire();
    return toDisposable(() => {
      following.dispose();
      known.ended = true;
      if (known.status === 'ready' || known.status === 'starting') known.status = 'stopped';
      this.#forget();
      this.#changed.fire();
    });
  }

  dispose(): void {
    this.#changed.dispose();
    this.#known = [];
  }

  #forget(): void {
    const ended = this.#known.filter((known) => known.ended);
    const old = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED_CONNECTIONS)));
    this.#known = this.#known.filter((known) => !old.has(known));
  }
}
