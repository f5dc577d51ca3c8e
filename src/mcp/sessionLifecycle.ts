import { systemClock } from '../base/clock';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { AgentPool } from '../session/agents/agentPool';
import { canSuspend } from '../session/agents/idleAgents';
import type { SharedAgent } from '../session/agents/sharedAgent';
import type { SessionHandle } from '../session/sessionHandle';
import type { Sessions } from '../session/sessions';
import type { LazyBuiltIns } from './builtin/lazyBuiltIns';
import type { CallGate } from './calls/callGate';
import type { HostedServers } from './hostedServers';

/** Tells the tool servers what happens in sessions. */
export function trackSessions(
  sessions: Sessions,
  builtIns: LazyBuiltIns,
  hostedServers: HostedServers,
  restarter: NewServerRestarter,
): Disposable {
  const store = new DisposableStore();
  const running = new Set<string>();
  const changes = new Map<string, SessionHandle['state']['changes']>();
  store.add(
    sessions.onDidChange(({ id, state }) => {
      if (changes.has(id) && changes.get(id) !== state.changes) builtIns.value?.noteChanges();
      changes.set(id, state.changes);
      const isRunning = state.turn.status === 'running';
      if (isRunning === running.has(id)) return;
      if (isRunning) running.add(id);
      else running.delete(id);
      if (isRunning) builtIns.value?.noteTurnStart(id);
      else restarter.scheduleCheck();
    }),
  );
  store.add(
    sessions.onDidClose((id) => {
      running.delete(id);
      changes.delete(id);
      builtIns.value?.closeSession(id);
      void hostedServers.close(id);
    }),
  );
  return store;
}

/** Milliseconds for which changes are merged: extensions add servers one after the other, settings are typed. */
const MERGE_WINDOW_MS = 1_000;

/**
 * Makes servers that were added, enabled or trusted later available in running chats, and removes those that agents reach directly and may
 * no longer use. Servers are declared only when a session opens, so an idle agent's process is ended wherever nothing is lost; the next
 * prompt reopens its sessions with the current servers. Where the process cannot be ended, the panel says that new chats have the servers.
 */
export class NewServerRestarter implements Disposable {
  readonly #store = new DisposableStore();
  readonly #timer = this.#store.add(new MutableDisposable<Disposable>());

  constructor(
    gate: CallGate,
    private readonly hostedServers: HostedServers,
    private readonly agents: AgentPool,
    private readonly log: Logger,
  ) {
    this.#store.add(gate.onDidChange(() => this.scheduleCheck()));
    this.#store.add(agents.willPrompt.event(() => this.#timer.value && this.#check()));
  }

  /** Schedules the check; the next prompt does not overtake it. */
  scheduleCheck(): void {
    this.#timer.value ??= systemClock.after(MERGE_WINDOW_MS, () => this.#check());
  }

  #check(): void {
    this.#timer.value = undefined;
    for (const link of this.agents.all()) this.#restartIfOutdated(link);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #restartIfOutdated(link: SharedAgent): void {
    if (link.connection.state.status !== 'ready') return;
    if (!link.sessions.some((session) => this.hostedServers.isOutdated(session))) return;
    if (!canSuspend(link) || link.lastSession?.state.connection.status === 'starting') return;
    this.log.info('mcp', `Ended ${link.definition.title}: its next message restarts it with other tool servers`);
    void this.agents.stop(link.definition.name);
  }
}
