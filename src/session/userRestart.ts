import { t } from '../base/l10n';
import { listTitle } from '../history/sessionSummary';
import type { AgentPool } from './agents/agentPool';
import type { AgentSessionBinding } from './agents/agentSessionBinding';
import type { AttachedSession } from './sessionHandle';
import type { SessionModel } from './sessionModel';
import type { TurnRunner } from './turn/turnRunner';

/**
 * The user's Restart and Force Stop: the process may serve other sessions, too. What follows an exit by itself is shown by
 * `AgentFailures`.
 */
export class UserRestart {
  constructor(
    private readonly model: SessionModel,
    private readonly agents: AgentPool,
    private readonly binding: AgentSessionBinding,
    private readonly turn: TurnRunner,
  ) {}

  async forceStop(): Promise<void> {
    const name = this.model.state.agent?.name;
    if (name === undefined) return;
    this.turn.end('cancelled');
    const others = await this.#stopAgent(name);
    if (others.length > 0) await reopenAll(this.model, others);
  }

  async restart(): Promise<void> {
    const name = this.binding.selectedAgent;
    if (name === undefined) return;
    this.turn.end('cancelled');
    const others = await this.#stopAgent(name);
    await this.turn.start(name);
    await reopenAll(this.model, others);
  }

  /** Another session ended the process. */
  onProcessEnd(): void {
    this.turn.end('agentRestarted');
    this.#release();
  }

  /** @returns the other sessions of the process */
  async #stopAgent(name: string): Promise<readonly AttachedSession[]> {
    const others = (this.agents.get(name)?.sessions ?? []).filter(({ id }) => id !== this.model.state.id);
    for (const other of others) other.onProcessEnd();
    // Before the wait: a prompt sent meanwhile starts its own process, whose state must not be overwritten.
    this.#release();
    await this.agents.stop(name);
    return others;
  }

  #release(): void {
    this.binding.release();
    this.model.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  }
}

/** Resumes the other sessions of an ended process and names them in this one: the user may not know that they share it. */
async function reopenAll(from: SessionModel, others: readonly AttachedSession[]): Promise<void> {
  // A chat without a message has nothing to resume.
  const started = others.filter(({ state }) => state.entries.count > 0);
  if (started.length === 0) return;
  const reopened = await Promise.all(started.map((session) => session.reopen()));
  const agent = from.state.agent?.title ?? t('The agent');
  const lost = started.filter((_, index) => !reopened[index]);
  const back = started.filter((_, index) => reopened[index]);
  const sentences = [
    back.length > 0 && t('The agent also reopened these sessions, which share its process: {0}.', names(back)),
    lost.length > 0 && t('The agent could not reopen these sessions, which share its process: {0}.', names(lost)),
  ];
  const text = sentences.filter(Boolean).join(' ');
  from.showNotice('info', t('{0} was restarted', agent), text);
}

function names(sessions: readonly AttachedSession[]): string {
  return sessions.map(({ state }) => `“${listTitle(state.title)}”`).join(', ');
}
