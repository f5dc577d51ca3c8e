import type { Clock } from '../base/clock';
import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { SharedAgent } from '../session/agents/agentPool';
import { canSuspend } from '../session/agents/idleAgents';
import type { SessionHandle } from '../session/sessionHandle';

/** Milliseconds for which changes are merged: extensions add servers one after the other, settings are typed. */
const MERGE_WINDOW_MS = 1_000;

interface LateServersOptions {
  readonly agents: { all(): readonly SharedAgent[]; stop(name: string): Promise<void> };
  /** Fires for rules, switches, workspace trust and the server list. */
  readonly onDidChange: readonly Event<unknown>[];
  /** Whether an available server was not declared to the session's agent, or the agent has one that is no longer available. */
  readonly isOutdated: (session: SessionHandle) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Makes servers that were added, enabled or trusted later available in running chats, and removes those that agents reach directly and may
 * no longer use. Agents learn of servers only when a session opens, so
 * an idle agent's process is ended wherever nothing is lost; the next prompt reopens its sessions with the current servers. Where the process
 * cannot be ended, the panel says that new chats have them.
 */
export class NewServerRestarter implements Disposable {
  readonly #options: LateServersOptions;
  readonly #store = new DisposableStore();
  readonly #timer = this.#store.add(new MutableDisposable<Disposable>());

  constructor(options: LateServersOptions) {
    this.#options = options;
    for (const event of options.onDidChange) this.#store.add(event(() => this.scheduleCheck()));
  }

  /** Schedules the check. */
  scheduleCheck(): void {
    this.#timer.value ??= this.#options.clock.after(MERGE_WINDOW_MS, () => {
      this.#timer.value = undefined;
      for (const link of this.#options.agents.all()) this.#bring(link);
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #bring(link: SharedAgent): void {
    const { agents, isOutdated, log } = this.#options;
    if (link.connection.state.status !== 'ready' || !link.sessions.some((session) => isOutdated(session))) return;
    if (!canSuspend(link) || link.lastSession?.state.connection.status === 'starting') return;
    log.info('mcp', `Ended ${link.definition.title}: its next message restarts it with other tool servers`);
    void agents.stop(link.definition.name);
  }
}
