import { systemClock } from '../base/clock';
import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { AgentPool } from '../session/agents/agentPool';
import type { SessionHandle } from '../session/sessionHandle';
import type { DeclaredServers } from './host/declaredServers';
import type { LazyBuiltIns } from './builtin/lazyBuiltIns';
import { NewServerRestarter } from './restartForNewServers';
import type { ToolCallGate } from './calls/toolCallGate';
import type { HostedServers } from './host/hostedServers';
import type { ToolsPanel } from './availability/toolsPanelModel';
import type { ToolServers } from './toolServerRegistry';

/** Implemented by `Sessions`. */
export interface SessionEvents {
  readonly onDidClose: Event<string>;
  readonly onDidChange: Event<SessionHandle>;
}

interface FollowDeps {
  readonly servers: ToolServers;
  readonly gate: ToolCallGate;
  readonly panel: ToolsPanel;
  readonly builtIns: Pick<LazyBuiltIns, 'value'>;
  readonly declared: DeclaredServers;
  readonly sessionServers: Pick<HostedServers, 'close' | 'outdated'>;
  readonly log: Logger;
}

export function trackSessions(
  deps: FollowDeps,
  sessions: SessionEvents,
  agents: Pick<AgentPool, 'all' | 'stop'>,
): Disposable {
  const { panel, servers, gate, builtIns, sessionServers, log } = deps;
  const store = new DisposableStore();
  const restarter = new NewServerRestarter({
    agents,
    log,
    clock: systemClock,
    onDidChange: [gate.onDidChange, servers.onDidChange],
    isOutdated: (session) =>
      sessionServers.outdated(session).length > 0 ||
      servers.list().some((registered) => panel.isLate(session, registered)),
  });
  store.add(restarter);
  const running = new Set<string>();
  const changes = new Map<string, SessionHandle['state']['changes']>();
  store.add(
    sessions.onDidChange(({ id, state }) => {
      if (changes.has(id) && changes.get(id) !== state.changes) builtIns.value?.changesChanged();
      changes.set(id, state.changes);
      const isRunning = state.turn.status === 'running';
      if (isRunning === running.has(id)) return;
      if (isRunning) running.add(id);
      else running.delete(id);
      if (isRunning) builtIns.value?.turnStarted(id);
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

function forget({ builtIns, panel, gate, declared, sessionServers }: FollowDeps, sessionId: string): void {
  builtIns.value?.forget(sessionId);
  panel.forget(sessionId);
  gate.closeSession(sessionId);
  declared.delete(sessionId);
  void sessionServers.close(sessionId);
}
