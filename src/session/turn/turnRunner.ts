// Protected by test/unit/session/races.test.ts: messages that cross a cancellation.
import { ParleyError, isCancellation } from '../../base/errors';
import { asObject, asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { RpcError } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { firstLine, truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { Block } from '../../shared/state/contentBlocks';
import { entriesFrom } from '../../shared/state/entryPages';
import { instructionsBlock } from '../../shared/state/preset';
import type { Entry } from '../../shared/state/sessionState';
import type { StopReason } from '../../shared/state/turnSummary';
import type { TokenUsage } from '../../shared/state/usageState';
import { isPriorConversation } from '../../shared/text/priorConversation';
import { stopReasonNotice } from '../../shared/text/statusText';
import type { AgentPool } from '../agents/agentPool';
import type { AgentSessionBinding } from '../agents/agentSessionBinding';
import type { ConfigOptionUpdates } from '../agents/configOptionUpdates';
import type { BoundSession } from '../agents/openAgentSession';
import { capabilitiesOf } from '../agents/sessionCapabilities';
import { isAboutSignIn, isAuthRequired } from '../agents/signInFlow';
import { unsupportedFolders } from '../agents/unsupportedFolders';
import type { SessionModel } from '../sessionModel';
import { tokenUsage } from '../translate/translateUsage';
import type { UserRequests } from '../userRequests/userRequests';
import { AgentFailures } from './agentFailures';
import { fitToCapabilities, promptCapabilities, toPrompt } from './promptContent';
import type { Message } from './promptContent';
import { promptText } from './promptContent';

interface TurnOptions {
  readonly agents: AgentPool;
  /** Milliseconds until Force Stop is offered. */
  readonly stopDeadline?: number;
  readonly virtualFolders?: readonly string[];
  readonly log: Logger;
  /**
   * Creates a checkpoint before the agent can change files. Never rejects.
   * @param entry the prompt's
   */
  readonly beforePrompt?: (entry: number) => Promise<void>;
}

const MAX_TITLE_CHARS = 60;
const STOP_TIMEOUT_MS = 10_000;

/** Runs the turns of one session, one at a time. Every started turn ends visibly, exactly once. */
export class TurnRunner implements Disposable {
  /** The agent's session while a prompt is pending. */
  #promptedSession: BoundSession | undefined;
  #overdue: NodeJS.Timeout | undefined;
  /** Counts turns, so that the late result of an ended turn is ignored. */
  #turn = 0;
  #isRefused = false;
  /** The agent's sessions that got a prompt. Weak: one that ended would keep its process, and all sessions that used that. */
  readonly #prompted = new WeakSet<BoundSession>();
  /** Those among them that have answered one, and so know the instructions of the preset. */
  readonly #instructed = new WeakSet<BoundSession>();

  #lastPrompt: Message | undefined;

  readonly failures: AgentFailures;

  /** @param configOptions a prompt must not run before they are set */
  constructor(
    private readonly model: SessionModel,
    private readonly binding: AgentSessionBinding,
    private readonly userRequests: UserRequests,
    private readonly configOptions: ConfigOptionUpdates,
    private readonly options: TurnOptions,
  ) {
    this.failures = new AgentFailures(model);
  }

  /** Starts agent and session without a prompt; a failure becomes an entry. */
  async start(agentName: string): Promise<void> {
    this.failures.expectExit(true);
    try {
      await this.binding.ensureBound(agentName);
      this.failures.expectExit(false);
    } catch (error) {
      this.failures.expectExit(ParleyError.is(error, 'agentExited'));
      // The connection's state already has the sign-in methods.
      if (!isAuthRequired(error)) this.failures.show(error);
    }
  }

  /** The last prompt of this window: an agent may say something as the user after it. */
  get lastPrompt(): Message | undefined {
    return this.#lastPrompt;
  }

  /** The last prompt was refused because a sign-in is required. */
  get wasRefused(): boolean {
    return this.#isRefused;
  }

  /** Never rejects. */
  async run(message: Message): Promise<void> {
    const { model, binding, configOptions } = this;
    const { agents, beforePrompt } = this.options;
    const agentName = binding.agentName();
    agents.willPrompt.fire();
    const turn = ++this.#turn;
    this.failures.expectExit(false);
    this.#isRefused = false;
    const entry = model.state.entries.count;
    const isFirst = !this.#has('user');
    this.#lastPrompt = message;
    model.dispatch({ type: 'promptSent', ...message, at: model.now() });
    if (isFirst && model.state.title === undefined && message.text.trim() !== '') {
      model.dispatch({ type: 'titleChanged', title: truncate(firstLine(message.text), MAX_TITLE_CHARS) });
    }
    // In parallel with starting the agent.
    const prepared = beforePrompt?.(entry);
    // Awaited below, if the agent starts.
    prepared?.catch(() => undefined);
    try {
      const bound = await binding.ensureBound(agentName);
      await configOptions.waitUntilSet();
      await prepared;
      if (turn !== this.#turn) return;
      if (bound.isFresh && !this.#prompted.has(bound) && !message.blocks.some(isPriorConversation))
        this.#showNewSession(bound);
      this.#prompted.add(bound);
      await this.#prompt(bound, message, turn, this.#instructions(bound, entry));
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
  }

  /** Cancels the turn (https://agentclientprotocol.com/protocol/prompt-turn#cancellation). Before the prompt is sent the turn just ends. */
  stop(): void {
    const { model, userRequests } = this;
    const { stopDeadline = STOP_TIMEOUT_MS } = this.options;
    const { turn } = model.state;
    if (turn.status !== 'running' || turn.stopping) return;
    const prompted = this.#promptedSession;
    prompted?.link.cancel(prompted.agentSessionId);
    userRequests.cancelAll(t('you stopped the turn'));
    model.dispatch({ type: 'stopRequested', at: model.now() });
    if (!prompted) {
      this.end('cancelled');
      this.failures.showUnopened(this.binding.opening?.definition.title);
      return;
    }
    this.#overdue = setTimeout(() => model.dispatch({ type: 'stopOverdue' }), stopDeadline);
  }

  /** Ends the running turn on our side, whatever the agent does. */
  end(stopReason: StopReason, tokens?: TokenUsage): void {
    const { model, userRequests } = this;
    this.#turn++;
    this.#promptedSession = undefined;
    clearTimeout(this.#overdue);
    const { turn } = model.state;
    // Requests of background work that came before the turn do not end with it.
    const first = stopReason !== 'interrupted' && turn.status === 'running' ? turn.firstEntry : 0;
    userRequests.cancelAll(stopReason === 'interrupted' ? t('window reloaded') : t('the turn ended'), first);
    if (model.state.turn.status !== 'running') return;
    model.dispatch({ type: 'turnEnded', stopReason, ...(tokens && { tokens }), at: model.now() });
    // An error has its own entry.
    const notice = stopReason === 'error' ? undefined : stopReasonNotice(stopReason);
    if (notice) model.dispatch({ type: 'noticeShown', severity: 'info', ...notice, at: model.now() });
  }

  dispose(): void {
    this.#turn++;
    clearTimeout(this.#overdue);
  }

  /**
   * The instructions of the preset for a session that did not get them as its system prompt; none after its first message.
   * @param entry the message's
   */
  #instructions(bound: BoundSession, entry: number): JsonObject[] {
    const { link, isFresh } = bound;
    const { model } = this;
    const instructions = model.state.preset?.instructions;
    if (instructions === undefined || !isFresh || capabilitiesOf(link).systemPrompt || this.#instructed.has(bound))
      return [];
    const block = instructionsBlock(instructions);
    model.dispatch({ type: 'blockAppended', role: 'user', block, entry, at: model.now() });
    const capabilities = promptCapabilities(link.connection.state);
    const sent = capabilities ? fitToCapabilities([block], capabilities, link.definition.title) : [block];
    for (const one of sent) model.repeatedPrompts.expect(one.type === 'text' ? one.text : '', sent);
    return toPrompt('', sent);
  }

  async #prompt(
    bound: BoundSession,
    message: Message,
    turn: number,
    instructions: readonly JsonObject[],
  ): Promise<void> {
    const text = promptText(message);
    const own = toPrompt(text, this.#fitBlocks(bound, message));
    // Agents look for a command at the beginning.
    const prompt = text.startsWith('/') ? [...own, ...instructions] : [...instructions, ...own];
    this.#promptedSession = bound;
    const _meta = bound.link.connection.createTrace();
    const { model } = this;
    const { log } = this.options;
    log.info('session', `Started a turn of session ${model.state.id}; trace ${traceIdOf(_meta)}`);
    const params = { sessionId: bound.agentSessionId, prompt, _meta };
    await bound.link.connection.request('session/prompt', params, {
      // In wire order: updates after the turn follow its end in the transcript (I3).
      onSettled: (outcome) => {
        if ('result' in outcome) this.#instructed.add(bound);
        if (turn !== this.#turn) return;
        if ('error' in outcome) this.#fail(outcome.error);
        else this.#onAnswer(asObject(outcome.result) ?? {});
      },
    });
  }

  /** Adapts attachments to the agent, whose capabilities may have been unknown before its start. */
  #fitBlocks({ link }: BoundSession, { blocks }: Message): readonly Block[] {
    const capabilities = promptCapabilities(link.connection.state);
    if (!capabilities || blocks.length === 0) return blocks;
    const { title } = link.definition;
    const sent = fitToCapabilities(blocks, capabilities, title);
    if (sent.some((block, at) => block !== blocks[at])) {
      const text = t('The agent does not support embedded file content.');
      this.model.showNotice('info', t('Attachments sent to {0} as links or plain text', title), text);
    }
    return sent;
  }

  #onAnswer(result: JsonObject): void {
    const stopReason = truncate(escapeInvisibleInline(asString(result['stopReason']) ?? 'end_turn'), MAX_TITLE_CHARS);
    this.end(stopReason, tokenUsage(result['usage']));
  }

  #fail(error: unknown): void {
    const { turn } = this.model.state;
    // Some agents answer a canceled prompt with an error instead of `cancelled`, which is not shown as an error.
    const isStopped = turn.status === 'running' && turn.stopping === true;
    if (isCancellation(error) || (isStopped && error instanceof RpcError)) {
      this.end('cancelled');
      return;
    }
    this.failures.expectExit(ParleyError.is(error, 'agentExited'));
    this.end('error');
    this.#isRefused = isAboutSignIn(error);
    this.failures.show(error);
  }

  #has(...kinds: readonly Entry['kind'][]): boolean {
    for (const [, { kind }] of entriesFrom(this.model.state.entries)) if (kinds.includes(kind)) return true;
    return false;
  }

  /** Says what a session that was opened anew lacks: the messages above, or some of the folders. */
  #showNewSession(bound: BoundSession): void {
    const { model } = this;
    const { virtualFolders = [] } = this.options;
    // The message that started the turn is already above the notice, and others may follow.
    const text =
      model.state.turn.status === 'running'
        ? t('It knows only the message above and what follows.')
        : t('It has no memory of messages above.');
    // Without an answer above there is no context to lose.
    const { refusal } = this.binding;
    const reason = refusal === undefined ? '' : ` ${t('The earlier session could not be opened: {0}', refusal)}`;
    const notice = this.#has('agent', 'thought', 'tool')
      ? { title: t('Agent restarted'), text: `${text}${reason}` }
      : unsupportedFolders(bound.link, model.cwd, model.folders, virtualFolders);
    if (notice) model.dispatch({ type: 'noticeShown', severity: 'info', ...notice, at: model.now() });
  }
}

function traceIdOf({ traceparent }: JsonObject): string {
  return asString(traceparent)?.split('-')[1] ?? '';
}
