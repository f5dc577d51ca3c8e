import type {
  ConnectionStatus,
  RecordedConnection,
  TrafficConnections,
} from '../../agent/connection/trafficConnections';
import { TrafficRecorder } from '../../agent/traffic/trafficRecorder';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import type { Redactor } from '../../base/redactor';

/** How the MCP connections of this window are recorded; as those of agents, see {@link TrafficRecorder}. */
export interface McpTraffic {
  readonly connections: TrafficConnections;
  readonly redactor: Redactor;
  readonly isRecording: () => boolean;
}

/** A transport of either SDK. */
interface SdkTransport {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  send(message: never, options?: never): Promise<void>;
}

type State = RecordedConnection['state'];

/** An MCP connection in “Show Traffic”. `in` is to Parley, whether Parley is the client or the server. */
export class RecordedMcpConnection implements RecordedConnection {
  readonly traffic: TrafficRecorder;
  readonly #onDidChangeState = new Emitter<State>();
  readonly #listed: Disposable;
  #state: State;

  readonly onDidChangeState: Event<State> = this.#onDidChangeState.event;

  constructor({ connections, redactor, isRecording }: McpTraffic, title: string, status: ConnectionStatus) {
    this.traffic = new TrafficRecorder({}, redactor, isRecording);
    this.#state = { status };
    this.#listed = connections.add(title, this, 'mcp');
  }

  get state(): State {
    return this.#state;
  }

  /** Records what the transport carries. To be called before an SDK connects it, since one talks to the server before it listens. */
  follow(transport: SdkTransport): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.#record('out', message);
      return send(message, options);
    };
    let receive: SdkTransport['onmessage'];
    Object.defineProperty(transport, 'onmessage', {
      configurable: true,
      get: () => receive,
      set: (handler: SdkTransport['onmessage']) => {
        receive =
          handler &&
          ((message, extra) => {
            this.#record('in', message);
            handler(message, extra);
          });
      },
    });
  }

  setStatus(status: ConnectionStatus): void {
    this.#state = { status };
    this.#onDidChangeState.fire(this.#state);
  }

  /** The connection has ended; its messages can be shown for a while. */
  end(status: ConnectionStatus): void {
    this.setStatus(status);
    this.#listed.dispose();
  }

  #record(dir: 'in' | 'out', message: unknown): void {
    this.traffic.message(dir, message, JSON.stringify(message));
  }
}
