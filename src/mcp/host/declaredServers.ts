import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import type { TransportKind } from '../transport/transportKind';

/** What a session's agent was told when the session was opened. */
export interface DeclaredToolServers {
  /** `none`: no way leads to it. */
  readonly way: TransportKind | 'none';
  /** Names of the servers. */
  readonly names: ReadonlySet<string>;
}

/** Which servers each open session's agent has been told of: ACP has no way to tell of more while a session is open. */
export class DeclaredServers implements Disposable {
  readonly #bySession = new Map<string, DeclaredToolServers>();
  readonly #changed = new Emitter<string>();

  /** A session's agent was told, or the session is gone: its id. */
  readonly onDidChange: Event<string> = this.#changed.event;

  get(sessionId: string): DeclaredToolServers | undefined {
    return this.#bySession.get(sessionId);
  }

  set(sessionId: string, declared: DeclaredToolServers): void {
    this.#bySession.set(sessionId, declared);
    this.#changed.fire(sessionId);
  }

  delete(sessionId: string): void {
    if (this.#bySession.delete(sessionId)) this.#changed.fire(sessionId);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
