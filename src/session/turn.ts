import type { AgentState } from '../agent/connection';
import { ParleyError, isCanceled, messageOf } from '../base/errors';
import { asObject, asString, present } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { RpcError, rpcCodes } from '../base/rpc';
import { firstLine, shorten } from '../base/text';
import { entriesFrom } from '../shared/entries';
import type { Remedy, StopReason } from '../shared/state';
import { exitText, stopNotice } from '../shared/words';
import type { LinkedSession } from './agents';
import type { Asks } from './asks';
import type { Binding, Bound } from './binding';

export interface TurnOptions {
  readonly session: LinkedSession;
  readonly binding: Binding;
  readonly asks: Asks;
  readonly stopDeadline: number;
  readonly now: () => number;
}

const TITLE_LENGTH = 60;

/** Runs the turns of one session, one at a time. Whatever happens, a turn that was begun ends (visibly, exactly once). */
export class TurnRunner implements Disposable {
  readonly #options: TurnOptions;
  /** The agent's session while a prompt is with the agent. */
  #prompted: Bound | undefined;
  #overdue: NodeJS.Timeout | undefined;
  /** The end of the process has been shown as the failure of a turn. */
  #exitShown = false;
  /** Counts turns, so that a late result of an ended turn changes nothing. */
  #turn = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Starts agent and session without a prompt; a failure becomes an entry. */
  async start(agentName: string): Promise<void> {
    this.#exitShown = false;
    try {
      await this.#options.binding.bind(agentName);
    } catch (error) {
      this.#showFailure(error);
    }
  }

  async run(agentName: string, text: string): Promise<void> {
    const { session, binding } = this.#options;
    const turn = ++this.#turn;
    this.#exitShown = false;
    const hadAgentSession = binding.current !== undefined;
    const isFirst = session.state.entries.count === 0;
    session.dispatch({ type: 'promptSent', text, blocks: [], at: this.#options.now() });
    if (isFirst && session.state.title === undefined) {
      session.dispatch({ type: 'titleChanged', title: shorten(firstLine(text), TITLE_LENGTH) });
    }
    try {
      const bound = await binding.bind(agentName);
      if (turn !== this.#turn) return;
      if (!hadAgentSession && this.#hasEarlierTurns()) this.#sayForgotten();
      await this.#prompt(bound, text, turn);
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
  }

  /** Asks the agent to stop (ACP prompt-turn, cancellation). Before the prompt is with the agent the turn just ends. */
  stop(): void {
    const { session, asks, now, stopDeadline } = this.#options;
    const { turn } = session.state;
    if (turn.status !== 'running' || turn.stopping) return;
    const prompted = this.#prompted;
    prompted?.link.connection.notify('session/cancel', { sessionId: prompted.agentSessionId });
    asks.cancelAll('you stopped the turn');
    session.dispatch({ type: 'stopRequested', at: now() });
    if (!prompted) {
      this.end('cancelled');
      return;
    }
    this.#overdue = setTimeout(() => session.dispatch({ type: 'stopOverdue' }), stopDeadline);
  }

  /** Ends the running turn on our side, whatever the agent does. */
  end(stopReason: StopReason): void {
    const { session, asks, now } = this.#options;
    this.#turn++;
    this.#prompted = undefined;
    clearTimeout(this.#overdue);
    asks.cancelAll('the turn ended');
    if (session.state.turn.status !== 'running') return;
    session.dispatch({ type: 'turnEnded', stopReason, at: now() });
    const notice = stopNotice(stopReason);
    if (notice) session.dispatch({ type: 'noticeShown', severity: 'info', ...notice, at: now() });
  }

  /** Shows that the process is gone when no turn is there to show it. */
  agentExited(state: Extract<AgentState, { status: 'exited' }>, title: string): void {
    if (this.#exitShown || this.#options.session.state.turn.status === 'running') return;
    this.#showError(`${title} exited (${exitText(state)}).`, state.stderr, ['restart', 'showLog']);
  }

  dispose(): void {
    this.#turn++;
    clearTimeout(this.#overdue);
  }

  async #prompt(bound: Bound, text: string, turn: number): Promise<void> {
    this.#prompted = bound;
    const params = { sessionId: bound.agentSessionId, prompt: [{ type: 'text', text }] };
    await bound.link.connection.request('session/prompt', params, {
      // In wire order: what the agent says after the turn comes after its end in the transcript (I3).
      onSettled: (outcome) => {
        if (turn !== this.#turn) return;
        if ('error' in outcome) this.#fail(outcome.error);
        else this.end(asString(asObject(outcome.result)?.['stopReason']) ?? 'end_turn');
      },
    });
  }

  #fail(error: unknown): void {
    const { turn } = this.#options.session.state;
    // Some agents answer a stopped prompt with an error instead of "cancelled": that is no error (ACP prompt-turn).
    const stopped = turn.status === 'running' && turn.stopping === true;
    if (isCanceled(error) || (stopped && error instanceof RpcError)) {
      this.end('cancelled');
      return;
    }
    this.#exitShown = ParleyError.is(error, 'agentExited');
    this.end('error');
    this.#showFailure(error);
  }

  #showFailure(error: unknown): void {
    if (isCanceled(error)) return;
    if (error instanceof RpcError && error.code === rpcCodes.authRequired) {
      const title = this.#options.session.state.agent?.title ?? 'The agent';
      const message = `${title} needs you to sign in. Sign in with its own command in a terminal, then restart it here.`;
      this.#options.session.dispatch({ type: 'connectionChanged', connection: { status: 'signIn', message } });
      this.#showError(message, messageOf(error), ['restart', 'showLog']);
      return;
    }
    const known = ParleyError.is(error) ? error : undefined;
    const message = [messageOf(error), known?.nextStep].filter(Boolean).map(sentence).join(' ');
    this.#showError(message, known?.detail, remediesFor(error));
  }

  #showError(message: string, detail: string | undefined, remedies: readonly Remedy[]): void {
    const optional = present({ detail: detail || undefined });
    this.#options.session.dispatch({ type: 'errorShown', message, ...optional, remedies, at: this.#options.now() });
  }

  #hasEarlierTurns(): boolean {
    let prompts = 0;
    for (const [, entry] of entriesFrom(this.#options.session.state.entries)) {
      if (entry.kind === 'user' && ++prompts > 1) return true;
    }
    return false;
  }

  #sayForgotten(): void {
    const title = 'The agent was started anew';
    const text = 'It does not remember the conversation above this line.';
    this.#options.session.dispatch({ type: 'noticeShown', severity: 'info', title, text, at: this.#options.now() });
  }
}

function sentence(text: string | undefined = ''): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function remediesFor(error: unknown): Remedy[] {
  if (error instanceof RpcError) return ['retry', 'showLog'];
  if (ParleyError.is(error, 'agentNotFound')) return ['openSettings', 'restart'];
  if (ParleyError.is(error, 'agentExited') || ParleyError.is(error, 'agentProtocol'))
    return ['restart', 'retry', 'showLog'];
  return ['retry', 'showLog'];
}
