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
import type { ToolCallGate } from './calls/toolCallGate';
import type { ToolServers } from './contract/toolServerRegistry';
import type { DeclaredServers } from './host/declaredServers';
import type { HostedServers } from './hostedServers';
import type { ToolsPanelModel } from './panel/toolsPanelModel';

interface TrackDeps {
  readonly servers: ToolServers;
  readonly gate: ToolCallGate;
  readonly panel: ToolsPanelModel;
  readonly builtIns: Pick<LazyBuiltIns, 'value'>;
  readonly declared: DeclaredServers;
  readonly hostedServers: Pick<HostedServers, 'close' | 'findOutdated'>;
  readonly log: Logger;
}

export function trackSessions(deps: TrackDeps, sessions: Sessions, agents: AgentPool): Disposable {
  const { panel, servers, gate, builtIns, hostedServers, log } = deps;
  const store = new DisposableStore();
  const isOutdated = (session: SessionHandle): boolean =>
    hostedServers.findOutdated(session).length > 0 ||
    servers.list().some((registered) => panel.isLate(session, registered));
  const restarter = store.add(new NewServerRestarter(agents, isOutdated, log));
  for (const event of [gate.onDidChange, servers.onDidChange]) store.add(event(() => restarter.scheduleCheck()));
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
      forget(deps, id);
    }),
  );
  return store;
}

function forget({ builtIns, panel, gate, declared, hostedServers }: TrackDeps, sessionId: string): void {
  builtIns.value?.closeSession(sessionId);
  panel.closeSession(sessionId);
  gate.closeSession(sessionId);
  declared.delete(sessionId);
  void hostedServers.close(sessionId);
}

/** Milliseconds for which changes are merged: extensions add servers one after the other, settings are typed. */
const MERGE_WINDOW_MS = 1_000;

/**
 * Makes servers that were added, enabled or trusted later available in running chats, and removes those that agents reach directly and may
 * no longer use. Servers are declared only when a session opens, so an idle agent's process is ended wherever nothing is lost; the next
 * prompt reopens its sessions with the current servers. Where the process cannot be ended, the panel says that new chats have the servers.
 */
class NewServerRestarter implements Disposable {
  readonly #store = new DisposableStore();
  readonly #timer = this.#store.add(new MutableDisposable<Disposable>());

  /**
   * @param isOutdated whether an available server was not declared to the session's agent, or the agent has one that is no longer available
   */
  constructor(
    private readonly agents: AgentPool,
    private readonly isOutdated: (session: SessionHandle) => boolean,
    private readonly log: Logger,
  ) {
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
    if (link.connection.state.status !== 'ready' || !link.sessions.some((session) => this.isOutdated(session))) return;
    if (!canSuspend(link) || link.lastSession?.state.connection.status === 'starting') return;
    this.log.info('mcp', `Ended ${link.definition.title}: its next message restarts it with other tool servers`);
    void this.agents.stop(link.definition.name);
  }
}
