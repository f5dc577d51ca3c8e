import type { Disposable } from '../base/lifecycle';
import type { AcpClient } from './acpClient';
import type { TerminalSession } from './terminal/terminalMirrors';

/** The client, in a file of its own that is read when the first agent is wanted: a window in which nobody asks one does without it. */
export class LazyClient implements Disposable {
  readonly #read: () => Promise<AcpClient>;
  #loading: Promise<AcpClient> | undefined;
  #client: AcpClient | undefined;
  #isDisposed = false;

  /** @param read reads the file and makes the client */
  constructor(read: () => Promise<AcpClient>) {
    this.#read = read;
  }

  /** Rejects when the file cannot be read; the next call tries again. */
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

  /** Stops the command of a terminal, whichever agent it belongs to. Without a client there is none. */
  stopCommand(terminalId: string): void {
    this.#client?.stopCommand(terminalId);
  }

  /** Shows what a command of the session has written, and writes, in a terminal of the panel. False when nothing is known of it. */
  async showTerminal(session: TerminalSession, terminalId: string): Promise<boolean> {
    return (await this.load()).showTerminal(session, terminalId);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#client?.dispose();
  }
}
