import type { AgentState } from '../../agent/connection/agentLaunch';
import { ParleyError, isCancellation, errorMessage } from '../../base/errors';
import { asObject, asString, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { RpcError } from '../../base/jsonRpc';
import { withFullStop, firstLine, truncate } from '../../base/text';
import { entriesFrom } from '../../shared/state/entryPages';
import type { Block } from '../../shared/state/contentBlocks';
import { isPriorConversation } from '../../shared/text/priorConversation';
import type { ErrorAction } from '../../shared/state/sessionState';
import { exitText, stopReasonNotice } from '../../shared/text/statusText';
import type { TokenUsage } from '../../shared/state/subagentState';
import type { JsonObject } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { StopReason } from '../../shared/state/turnSummary';
import { createTraceparent, traceIdOf } from './traceContext';
import { tokenUsage } from '../translate/translateUsage';
import type { AttachedSession } from '../agents/agentPool';
import type { PendingPermissions } from '../userRequests/pendingPermissions';
import type { AgentSessionBinding } from '../agents/agentSessionBinding';
import { unsupportedFolders } from '../agents/unsupportedFolders';
import type { BoundSession } from '../agents/openAgentSession';
import { isAuthRequired } from '../agents/signInFlow';
import type { Message } from './steering';
import { promptText } from './steering';
import { fitToCapabilities, promptCapabilities, toPrompt } from './promptContent';

export interface TurnOptions {
  readonly session: AttachedSession;
  readonly binding: AgentSessionBinding;
  readonly asks: Pick<PendingPermissions, 'cancelAll'>;
  readonly stopDeadline: number;
  readonly virtualFolders: readonly string[];
  readonly now: () => number;
  readonly log: Logger;
  /** Settles when the config options are set: a prompt must not run in another mode. */
  readonly ready: () => Promise<void>;
  /**
   * Creates a checkpoint before the agent can change files. Never rejects.
   * @param entry the prompt's
   */
  readonly prepare: (entry: number) => Promise<void>;
}

const TITLE_LENGTH = 60;

/** Runs the turns of one session, one at a time. Every started turn ends visibly, exactly once. */
export class TurnRunner implements Disposable {
  readonly #options: TurnOptions;
  /** The agent's session while a prompt is pending. */
  #prompted: BoundSession | undefined;
  #overdue: NodeJS.Timeout | undefined;
  /** The exit was already shown as the failure of a turn. */
  #exitShown = false;
  /** Counts turns, so that the late result of an ended turn is ignored. */
  #turn = 0;
  #refused = false;
  /** The agent's session that has had a prompt. */
  #known: BoundSession | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Starts agent and session without a prompt; a failure becomes an entry. */
  async start(agentName: string): Promise<void> {
    this.#exitShown = false;
    try {
      await this.#options.binding.bind(agentName);
    } catch (error) {
      // The connection's state already has the sign-in methods.
      if (!isAuthRequired(error)) this.showFailure(error);
    }
  }

  /** The last prompt was refused because a sign-in is required. */
  get wasRefused(): boolean {
    return this.#refused;
  }

  async run(agentName: string, message: Message): Promise<void> {
    const { session, binding } = this.#options;
    const turn = ++this.#turn;
    this.#exitShown = false;
    this.#refused = false;
    const entry = session.state.entries.count;
    const isFirst = entry === 0;
    session.dispatch({ type: 'promptSent', ...message, at: this.#options.now() });
    if (isFirst && session.state.title === undefined && message.text.trim() !== '') {
      session.dispatch({ type: 'titleChanged', title: truncate(firstLine(message.text), TITLE_LENGTH) });
    }
    // In parallel with starting the agent.
    const prepared = this.#options.prepare(entry);
    try {
      const bound = await binding.bind(agentName);
      await this.#options.ready();
      await prepared;
      if (turn !== this.#turn) return;
      if (bound.fresh && bound !== this.#known && !message.blocks.some(isPriorConversation)) this.#sayNew(bound);
      this.#known = bound;
      await this.#prompt(bound, message, turn);
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
  }

  /** Cancels the turn (https://agentclientprotocol.com/protocol/prompt-turn#cancellation). Before the prompt is sent the turn just ends. */
  stop(): void {
    const { session, asks, now, stopDeadline } = this.#options;
    const { turn } = session.state;
    if (turn.status !== 'running' || turn.stopping) return;
    const prompted = this.#prompted;
    prompted?.link.connection.notify('session/cancel', { sessionId: prompted.agentSessionId });
    asks.cancelAll(t('you stopped the turn'));
    session.dispatch({ type: 'stopRequested', at: now() });
    if (!prompted) {
      this.end('cancelled');
      return;
    }
    this.#overdue = setTimeout(() => session.dispatch({ type: 'stopOverdue' }), stopDeadline);
  }

  /** Ends the running turn on our side, whatever the agent does. */
  end(stopReason: StopReason, tokens?: TokenUsage): void {
    const { session, asks, now } = this.#options;
    this.#turn++;
    this.#prompted = undefined;
    clearTimeout(this.#overdue);
    asks.cancelAll(stopReason === 'interrupted' ? t('window reloaded') : t('the turn ended'));
    if (session.state.turn.status !== 'running') return;
    session.dispatch({ type: 'turnEnded', stopReason, ...(tokens && { tokens }), at: now() });
    // An error has its own entry.
    const notice = stopReason === 'error' ? undefined : stopReasonNotice(stopReason);
    if (notice) session.dispatch({ type: 'noticeShown', severity: 'info', ...notice, at: now() });
  }

  /** Shows the exit outside of turns. */
  agentExited(state: Extract<AgentState, { status: 'exited' }>, title: string): void {
    if (this.#exitShown || this.#options.session.state.turn.status === 'running') return;
    this.#showError(t('{0} exited ({1}).', title, exitText(state)), state.stderr, ['restart', 'showLog']);
  }

  dispose(): void {
    this.#turn++;
    clearTimeout(this.#overdue);
  }

  async #prompt(bound: BoundSession, message: Message, turn: number): Promise<void> {
    const prompt = toPrompt(promptText(message), this.#fitted(bound, message));
    this.#prompted = bound;
    const traceparent = createTraceparent();
    const { log, session } = this.#options;
    log.info('session', `Turn of session ${session.id} begins; trace ${traceIdOf(traceparent)}`);
    const _meta = { traceparent };
    const params = { sessionId: bound.agentSessionId, prompt, _meta };
    await bound.link.connection.request('session/prompt', params, {
      // In wire order: updates after the turn follow its end in the transcript (I3).
      onSettled: (outcome) => {
        if (turn !== this.#turn) return;
        if ('error' in outcome) this.#fail(outcome.error);
        else this.#answered(asObject(outcome.result) ?? {});
      },
    });
  }

  /** Adapts attachments to the agent, whose capabilities may have been unknown before its start. */
  #fitted({ link }: BoundSession, { blocks }: Message): readonly Block[] {
    const abilities = promptCapabilities(link.connection.state);
    if (!abilities || blocks.length === 0) return blocks;
    const { title } = link.definition;
    const sent = fitToCapabilities(blocks, abilities, title);
    if (sent.some((block, at) => block !== blocks[at])) {
      const text = t('It takes no content of files in a message, so it was told where to find it.');
      const { session, now } = this.#options;
      session.dispatch({ type: 'noticeShown', severity: 'info', title: t('{0} got links', title), text, at: now() });
    }
    return sent;
  }

  #answered(result: JsonObject): void {
    this.end(asString(result['stopReason']) ?? 'end_turn', tokenUsage(result['usage']));
  }

  #fail(error: unknown): void {
    const { turn } = this.#options.session.state;
    // Some agents answer a canceled prompt with an error instead of `cancelled`, which is not shown as an error.
    const stopped = turn.status === 'running' && turn.stopping === true;
    if (isCancellation(error) || (stopped && error instanceof RpcError)) {
      this.end('cancelled');
      return;
    }
    this.#exitShown = ParleyError.is(error, 'agentExited');
    this.end('error');
    this.#refused = isAuthRequired(error);
    this.showFailure(error);
  }

  /** Adds an error entry; ignores a cancellation. */
  showFailure(error: unknown): void {
    if (isCancellation(error)) return;
    if (isAuthRequired(error)) {
      const title = this.#options.session.state.agent?.title ?? t('The agent');
      this.#showError(t('{0} did not answer: it needs you to sign in.', title), errorMessage(error), [
        'signIn',
        'retry',
      ]);
      return;
    }
    const known = ParleyError.is(error) ? error : undefined;
    const message = [errorMessage(error), known?.nextStep ?? ''].filter(Boolean).map(withFullStop).join(' ');
    this.#showError(message, known?.detail, remediesFor(error));
  }

  #showError(message: string, detail: string | undefined, remedies: readonly ErrorAction[]): void {
    const optional = omitUndefined({ detail: detail || undefined });
    this.#options.session.dispatch({ type: 'errorShown', message, ...optional, remedies, at: this.#options.now() });
  }

  /** Prompts without an answer leave no context to lose. */
  #hasEarlierAnswers(): boolean {
    for (const [, { kind }] of entriesFrom(this.#options.session.state.entries)) {
      if (kind === 'agent' || kind === 'thought' || kind === 'tool') return true;
    }
    return false;
  }

  /** Notices about a session that was opened anew. */
  #sayNew(bound: BoundSession): void {
    const forgotten = {
      title: t('The agent was started anew'),
      text: t('It does not remember the conversation above this line.'),
    };
    const unseen = unsupportedFolders(bound.link, this.#options.session.folders, this.#options.virtualFolders);
    for (const notice of [this.#hasEarlierAnswers() ? forgotten : unseen]) {
      if (!notice) continue;
      this.#options.session.dispatch({ type: 'noticeShown', severity: 'info', ...notice, at: this.#options.now() });
    }
  }
}

function remediesFor(error: unknown): ErrorAction[] {
  if (error instanceof RpcError) return ['retry', 'showLog'];
  if (ParleyError.is(error, 'agentNotFound')) return ['openSettings', 'restart'];
  if (ParleyError.is(error, 'agentExited') || ParleyError.is(error, 'agentProtocol'))
    return ['restart', 'retry', 'showLog'];
  return ['retry', 'showLog'];
}
