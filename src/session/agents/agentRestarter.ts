import { t } from '../../base/l10n';
import type { AgentPool } from './agentPool';
import type { AttachedSession } from '../sessionHandle';
import type { AgentSessionBinding } from './agentSessionBinding';
import { listTitle } from '../../history/sessionSummary';
import type { TurnRunner } from '../turn/turnRunner';

interface RestarterOptions {
  readonly session: AttachedSession;
  readonly agents: AgentPool;
  readonly binding: AgentSessionBinding;
  readonly turn: TurnRunner;
  readonly now: () => number;
}

/** Restarts the process of a session's agent, which other sessions may share. */
export class AgentRestarter {
  readonly #options: RestarterOptions;

  constructor(options: RestarterOptions) {
    this.#options = options;
  }

  async forceStop(): Promise<void> {
    const { session, turn, now } = this.#options;
    const name = session.state.agent?.name;
    if (name === undefined) return;
    turn.end('cancelled');
    const others = await this.#stopAgent(name);
    if (others.length > 0) await reopenAll(session, others, now);
  }

  async restart(): Promise<void> {
    const { session, binding, turn, now } = this.#options;
    const name = binding.agentName();
    turn.end('cancelled');
    const others = await this.#stopAgent(name);
    await turn.start(name);
    await reopenAll(session, others, now);
  }

  /** Another session ended the process. */
  processEnded(): void {
    this.#options.turn.end('agentRestarted');
    this.#release();
  }

  /** @returns the other sessions of the process */
  async #stopAgent(name: string): Promise<readonly AttachedSession[]> {
    const { agents, session } = this.#options;
    const others = (agents.get(name)?.sessions ?? []).filter((other) => other !== session);
    for (const other of others) other.processEnded();
    // Before the wait: a prompt sent meanwhile starts its own process, whose state must not be overwritten.
    this.#release();
    await agents.stop(name);
    return others;
  }

  #release(): void {
    const { binding, session } = this.#options;
    binding.release();
    session.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  }
}

/** Resumes the other sessions of an ended process and names them in this one: the user may not know that they share it. */
async function reopenAll(from: AttachedSession, others: readonly AttachedSession[], now: () => number): Promise<void> {
  // A chat without a message has nothing to resume.
  const begun = others.filter(({ state }) => state.entries.count > 0);
  if (begun.length === 0) return;
  const reopened = await Promise.all(begun.map((session) => session.reopen()));
  const agent = from.state.agent?.title ?? t('The agent');
  const lost = begun.filter((_, index) => !reopened[index]);
  const back = begun.filter((_, index) => reopened[index]);
  const sentences = [
    back.length > 0 && t('The agent also reopened these sessions, which share its process: {0}.', names(back)),
    lost.length > 0 && t('The agent could not reopen these sessions, which share its process: {0}.', names(lost)),
  ];
  const text = sentences.filter(Boolean).join(' ');
  from.dispatch({ type: 'noticeShown', severity: 'info', title: t('{0} was restarted', agent), text, at: now() });
}

function names(sessions: readonly AttachedSession[]): string {
  return sessions.map(({ state }) => `“${listTitle(state.title)}”`).join(', ');
}
