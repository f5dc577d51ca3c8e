import type { Clock } from '../base/clock';
import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { SharedAgent } from '../session/agents/agentPool';
import { canSuspend } from '../session/agents/idleAgents';
import type { SessionHandle } from '../session/sessionHandle';

/** Milliseconds for which changes are gathered: extensions add servers one after the other, settings are typed. */
const GATHER = 1_000;

export interface LateServersOptions {
  readonly agents: { links(): readonly SharedAgent[]; stop(name: string): Promise<void> };
  /** Rules, switches, the trust or the list of servers changed. */
  readonly onDidChange: readonly Event<unknown>[];
  /** A server is offered that the session's agent has not been told of. */
  readonly isLate: (session: SessionHandle) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Brings servers that were added, switched on or trusted later to chats that are under way. An agent learns of servers only when a session
 * is opened, so its process is ended as after half an hour without use, where nothing is lost by that: the next prompt brings the
 * sessions back, with the servers. Where it cannot be ended the panel says that new chats have them.
 */
export class NewServerRestarter implements Disposable {
  readonly #options: LateServersOptions;
  readonly #store = new DisposableStore();
  readonly #timer = this.#store.add(new MutableDisposable<Disposable>());

  constructor(options: LateServersOptions) {
    this.#options = options;
    for (const event of options.onDidChange) this.#store.add(event(() => this.look()));
  }

  /** Looks for such chats, a little later. */
  look(): void {
    this.#timer.value ??= this.#options.clock.after(GATHER, () => {
      this.#timer.value = undefined;
      for (const link of this.#options.agents.links()) this.#bring(link);
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #bring(link: SharedAgent): void {
    const { agents, isLate, log } = this.#options;
    if (link.connection.state.status !== 'ready' || !link.sessions.some((session) => isLate(session))) return;
    if (!canSuspend(link) || link.user?.state.connection.status === 'starting') return;
    log.info('mcp', `${link.definition.title} gets more tool servers: its process starts again with the next message`);
    void agents.stop(link.definition.name);
  }
}
