import type { Clock } from '../../base/clock';
import type { Event } from '../../base/event';
import { DisposableStore } from '../../base/lifecycle';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { backgroundWork } from '../../shared/state/backgroundWork';
import { entriesFrom } from '../../shared/state/entryPages';
import type { SessionState } from '../../shared/state/sessionState';
import { capabilitiesOf } from './sessionCapabilities';
import type { SharedAgent } from './sharedAgent';

/** Milliseconds without a turn, a request or a command until an agent's process is ended. */
export const IDLE_TIMEOUT_MS = 30 * 60_000;
/** The same with a large context: claude-agent-acp compacts it after 54 minutes, before the prompt cache expires. */
export const LARGE_IDLE_TIMEOUT_MS = 60 * 60_000;
/** Tokens. */
const LARGE_CONTEXT = 100_000;

export function isBusy(state: SessionState): boolean {
  if (state.turn.status === 'running' || state.waiting.length > 0 || openCompactions(state).length > 0) return true;
  return Object.values(state.terminals).some((terminal) => !terminal.exit) || backgroundWork(state).length > 0;
}

/** The compactions that run since the start of the last turn, by their entries: agents also compact an idle session by themselves. */
export function openCompactions({ entries, turns }: SessionState): number[] {
  const since = Array.from(entriesFrom(entries, turns.at(-1)?.entry ?? 0));
  return since.flatMap(([at, one]) => (one.kind === 'compaction' && one.status === 'in_progress' ? [at] : []));
}

/** The user has asked to stop and the agent has not answered yet. */
export function isStopping({ turn }: SessionState): boolean {
  return turn.status === 'running' && turn.stopping === true;
}

/** Whether the agent can resume its sessions in a new process; true without a process. */
export function canResume(link: SharedAgent | undefined): boolean {
  if (!link) return true;
  const { load, resume } = capabilitiesOf(link);
  return load || resume;
}

/** The members of `AgentPool` that the monitor needs. */
interface Agents {
  readonly onDidChangeState: Event<SharedAgent>;
  get(name: string): SharedAgent | undefined;
  stop(name: string): Promise<void>;
}

/** Ends processes of unused agents; the next prompt starts them and resumes the session. */
export class IdleAgentMonitor implements Disposable {
  readonly #store = new DisposableStore();
  readonly #timers = new Map<SharedAgent, Disposable>();
  readonly #lastUsed = new WeakMap<SharedAgent, number>();

  /** @param onDidChangeSession fires for every change of any session */
  constructor(
    private readonly agents: Agents,
    onDidChangeSession: Event<{ readonly state: SessionState }>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.#store.add(agents.onDidChangeState((link) => this.#onDidChangeState(link)));
    this.#store.add(onDidChangeSession(({ state }) => this.#touch(state.agent?.name)));
  }

  /** Called for every chunk, so it only notes the time. */
  #touch(agentName: string | undefined): void {
    const link = agentName === undefined ? undefined : this.agents.get(agentName);
    if (link) this.#lastUsed.set(link, this.clock.elapsed());
  }

  dispose(): void {
    this.#store.dispose();
    for (const timer of this.#timers.values()) timer.dispose();
    this.#timers.clear();
  }

  #onDidChangeState(link: SharedAgent): void {
    const { status } = link.connection.state;
    if (status === 'ready') {
      this.#lastUsed.set(link, this.clock.elapsed());
      this.#arm(link, IDLE_TIMEOUT_MS);
    } else if (status !== 'starting') this.#disarm(link);
  }

  #arm(link: SharedAgent, ms: number): void {
    this.#disarm(link);
    this.#timers.set(
      link,
      this.clock.after(ms, () => this.#suspendIfIdle(link)),
    );
  }

  #disarm(link: SharedAgent): void {
    this.#timers.get(link)?.dispose();
    this.#timers.delete(link);
  }

  #suspendIfIdle(link: SharedAgent): void {
    this.#timers.delete(link);
    const timeout = timeoutOf(link);
    const remaining = (this.#lastUsed.get(link) ?? 0) + timeout - this.clock.elapsed();
    if (remaining > 0) this.#arm(link, remaining);
    else if (!canSuspend(link)) this.#arm(link, IDLE_TIMEOUT_MS);
    else {
      this.log.info('session', `Suspended ${link.definition.title}: not used for ${timeout / 60_000} minutes`);
      void this.agents.stop(link.definition.name);
    }
  }
}

/** Milliseconds. */
function timeoutOf({ sessions }: SharedAgent): number {
  const isLarge = sessions.some(({ state }) => (state.usage?.used ?? 0) >= LARGE_CONTEXT);
  return isLarge ? LARGE_IDLE_TIMEOUT_MS : IDLE_TIMEOUT_MS;
}

/** Whether the process can be ended without loss. A session without a message loses nothing: it is opened again. */
export function canSuspend(link: SharedAgent): boolean {
  if (link.signIn.state?.signingIn !== undefined || link.sessions.some(({ state }) => isBusy(state))) return false;
  return canResume(link) || link.sessions.every(({ state }) => state.entries.count === 0);
}
