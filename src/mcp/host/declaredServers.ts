import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import type { TransportKind } from '../contract/transportKind';

/** The tool servers declared to a session's agent when the session opened. */
interface DeclaredToolServers {
  /** How the agent connects to the servers; `none` if no transport reaches the agent. */
  readonly transportKind: TransportKind | 'none';
  readonly names: ReadonlySet<string>;
}

/** The servers declared to each open session's agent: ACP cannot declare more while a session is open. */
export class DeclaredServers implements Disposable {
  readonly #bySession = new Map<string, DeclaredToolServers>();
  readonly #onDidChange = new Emitter<string>();

  /** Fires the id of a session whose servers were declared, or which was closed. */
  readonly onDidChange: Event<string> = this.#onDidChange.event;

  get(sessionId: string): DeclaredToolServers | undefined {
    return this.#bySession.get(sessionId);
  }

  set(sessionId: string, declared: DeclaredToolServers): void {
    this.#bySession.set(sessionId, declared);
    this.#onDidChange.fire(sessionId);
  }

  delete(sessionId: string): void {
    if (this.#bySession.delete(sessionId)) this.#onDidChange.fire(sessionId);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}
