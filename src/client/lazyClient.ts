import type { Disposable } from '../base/lifecycle';
import type { AcpClient } from './acpClient';
import type { TerminalSession } from './terminal/terminalMirrors';

/** The client as a chunk of its own, loaded when the first agent is needed. */
export class LazyClient implements Disposable {
  readonly #read: () => Promise<AcpClient>;
  #loading: Promise<AcpClient> | undefined;
  #client: AcpClient | undefined;
  #isDisposed = false;

  /** @param read loads the chunk and creates the client */
  constructor(read: () => Promise<AcpClient>) {
    this.#read = read;
  }

  /** Rejects when loading fails; the next call tries again. */
  async load(): Promise<AcpClient> {
    this.#loading ??= this.#read();
    try {
      this.#client = await this.#loading;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
    if (this.#isDisposed) this.#client.dispose();
    return this.#client;
  }

  /** @throws Error before {@link load} has settled */
  readonly connect: AcpClient['connect'] = (...args) => {
    if (!this.#client) throw new Error('connect() before load()');
    return this.#client.connect(...args);
  };

  stopCommand(terminalId: string): void {
    this.#client?.stopCommand(terminalId);
  }

  /** Shows output of a session's command in a terminal of the panel. False for an unknown command. */
  async showTerminal(session: TerminalSession, terminalId: string): Promise<boolean> {
    return (await this.load()).showTerminal(session, terminalId);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#client?.dispose();
  }
}
