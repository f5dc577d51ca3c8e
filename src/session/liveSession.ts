import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { AgentState } from '../agent/connection/agentLaunch';
import { ParleyError, errorMessage } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import type { JsonObject } from '../base/json';
import { t } from '../base/l10n';
import type { DiffTexts } from '../history/diff/diffStore';
import type { TranscriptContent } from '../history/transcriptFile';
import type { TranscriptWriter } from '../history/transcriptWriter';
import type { Attachment } from '../shared/state/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { Preset } from '../shared/state/preset';
import type { Action } from '../shared/state/sessionActions';
import type { AgentSession, Connection, SessionState } from '../shared/state/sessionState';
import type { BindableSession } from './agents/agentSessionBinding';
import { AgentSessionBinding } from './agents/agentSessionBinding';
import { ConfigOptionUpdates } from './agents/configOptionUpdates';
import { canResume, isBusy, openCompactions } from './agents/idleAgents';
import { withCapabilities } from './agents/sessionCapabilities';
import type { SharedAgent } from './agents/sharedAgent';
import { WarmStart } from './agents/warmStart';
import { toConnection } from './connectionState';
import { canStopSubagent } from './entryIndex';
import type { ServerPrompt } from './serverContent';
import type { SendOptions, Session } from './session';
import { SessionAuth } from './sessionAuth';
import { changeFolder } from './sessionFolder';
import { SessionModel } from './sessionModel';
import type { Dispatched, ModelOptions } from './sessionModel';
import type { SessionServices } from './sessionsOptions';
import { initialConfigOptions } from './translate/translateConfigOptions';
import { MessagePreparer } from './turn/messagePreparer';
import { MessageQueue } from './turn/messageQueue';
import { PromptSender } from './turn/promptSender';
import { SessionBudget } from './turn/sessionBudget';
import { TurnRunner } from './turn/turnRunner';
import { UsageLimitRetry } from './turn/usageLimitRetry';
import type { RequestingAgent } from './userRequests/userRequests';
import { UserRequests } from './userRequests/userRequests';
import { UserRestart } from './userRestart';

export interface SessionOptions extends ModelOptions, SessionServices {
  readonly virtualFolders?: readonly string[];
  /**
   * Creates a checkpoint before a prompt. Never rejects.
   * @param entry the prompt's
   */
  readonly beforePrompt?: (entry: number) => Promise<void>;
  /** Reads attachments when a message is sent; undefined where nothing can be attached. */
  readonly readAttachments?: (attachments: readonly Attachment[]) => Promise<readonly Block[]>;
  /** False when another window has taken the session. */
  readonly mayWrite?: () => boolean;
  /** See {@link BindableSession}. */
  readonly onDidAbandon?: (agentName: string, agentSessionId: string) => void;
}

/** Without a process of the agent. */
const ENDED: ReadonlySet<Connection['status']> = new Set(['idle', 'failed', 'exited']);

export class LiveSession implements Session, BindableSession, RequestingAgent {
  readonly #sender: PromptSender;
  readonly #budget: SessionBudget | undefined;
  readonly #onDidAsk = new Emitter<number>();
  /** The user has selected the agent of this chat. */
  #isAgentSelected = false;

  readonly id: string;
  readonly model: SessionModel;
  readonly history: TranscriptWriter;
  readonly binding: AgentSessionBinding;
  readonly userRequests: UserRequests;
  readonly configOptions: ConfigOptionUpdates;
  readonly turn: TurnRunner;
  readonly queue: MessageQueue;
  readonly restarter: UserRestart;
  readonly auth: SessionAuth;
  readonly limitRetry: UsageLimitRetry;
  readonly warmStart: WarmStart;

  readonly onDidDispatch: Event<Dispatched>;
  /** Fires the entry of a permission request. */
  readonly onDidAsk: Event<number> = this.#onDidAsk.event;

  constructor(private readonly options: SessionOptions) {
    const { agents, log, clock, policy } = options;
    this.id = options.id;
    this.history = options.history;
    const model = new SessionModel(options);
    this.model = model;
    this.onDidDispatch = model.onDidDispatch;
    this.userRequests = new UserRequests(model, this, policy, (entry) => this.#onDidAsk.fire(entry));
    this.binding = new AgentSessionBinding(this, agents, clock, log);
    const { binding, userRequests } = this;
    this.configOptions = new ConfigOptionUpdates(model, binding, log);
    this.turn = new TurnRunner(model, binding, userRequests, this.configOptions, options);
    const { turn } = this;
    const { prompts, readAttachments, serverContent } = options;
    const serverPrompts = (): readonly ServerPrompt[] => serverContent?.prompts(this) ?? [];
    const preparer = new MessagePreparer(model, binding, prompts, readAttachments, serverPrompts);
    const budget = options.budget && new SessionBudget(model, options.budget, log);
    this.#budget = budget;
    this.queue = new MessageQueue(model, binding, turn, preparer, budget, log);
    this.#sender = new PromptSender(model, this.queue, turn, preparer, budget);
    this.restarter = new UserRestart(model, agents, binding, turn);
    this.warmStart = new WarmStart(model, binding, agents, log);
    this.auth = new SessionAuth(agents, binding, turn, this.#sender);
    this.limitRetry = new UsageLimitRetry(model, clock, () => this.retry(), options.mayWrite);
    model.onDidDispatch(({ action }) => {
      this.configOptions.apply(action);
      this.queue.apply(action);
      if (action.type === 'connectionChanged' && ENDED.has(action.connection.status)) this.#endCompactions();
      if (!this.isReplay) budget?.apply(action);
    });
  }

  get cwd(): string {
    return this.model.cwd;
  }

  get folders(): readonly string[] {
    return this.model.folders;
  }

  get state(): SessionState {
    return this.model.state;
  }

  get seq(): number {
    return this.model.seq;
  }

  get needsAgent(): boolean {
    return this.state.agent === undefined && this.options.fallbackAgent() === undefined;
  }

  /** Whether a transcript is on disk or will be soon. */
  get hasTranscript(): boolean {
    return this.model.hasTranscript;
  }

  /** Whether closing loses nothing: nothing runs or waits, and the agent can resume the session. */
  get canClose(): boolean {
    if (isBusy(this.state) || this.state.retryAt !== undefined) return false;
    return !this.hasTranscript || canResume(this.binding.current?.link);
  }

  dispatch(action: Action): void {
    this.model.dispatch(action);
  }

  diff(diffId: string): DiffTexts | undefined {
    return this.model.diff(diffId);
  }

  async send(text: string, blocks: readonly Block[] = [], how: SendOptions = {}): Promise<void> {
    if (!this.state.imported && !this.needsAgent) await this.#sender.send(text, blocks, how);
  }

  async retry(): Promise<void> {
    if (!this.state.imported) await this.#sender.retry();
  }

  async restart(): Promise<void> {
    if (!this.state.imported) await this.restarter.restart();
  }

  stopSubagent(childId: string): void {
    if (!canStopSubagent(this.state, childId)) return;
    this.binding.current?.link.cancel(childId);
  }

  async chooseAgent(name: string): Promise<void> {
    if (!this.#assign(name)) return;
    this.#isAgentSelected = true;
    await this.turn.start(name);
  }

  async choosePreset(preset: Preset): Promise<void> {
    if (this.restorePreset(preset)) await this.turn.start(preset.agent);
  }

  /**
   * Sets the preset without starting its agent.
   * @returns false for a session with messages
   */
  restorePreset(preset: Preset): boolean {
    if (!this.#assign(preset.agent)) return false;
    this.#isAgentSelected = true;
    this.dispatch({ type: 'presetChosen', preset });
    return true;
  }

  /** A session without messages becomes that of a new chat. */
  dropPreset(): void {
    if (!this.state.preset || !this.#assign(this.state.agent?.name)) return;
    this.#isAgentSelected = false;
    this.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  }

  setAgent(name: string): void {
    this.#isAgentSelected = true;
    this.#changeAgent(name);
  }

  /** The settings have changed: until its first message a chat has the agent that they name, unless the user has selected another. */
  followSettings(initialAgent: string | undefined): void {
    const { agent, agentSession, imported } = this.state;
    const isKnown = agent !== undefined && this.options.agents.definition(agent.name) !== undefined;
    const isOurs = agentSession === undefined || this.binding.current?.isFresh === true;
    if (!this.hasTranscript && !imported && isOurs && !(this.#isAgentSelected && isKnown))
      this.#changeAgent(initialAgent);
  }

  /** @param name undefined: the user has to select one */
  #changeAgent(name: string | undefined): void {
    if (this.state.agent?.name === name || !this.#assign(name)) return;
    this.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  }

  setFolder(folder: string | undefined, branch?: string): void {
    if ((folder ?? this.options.cwd) === this.cwd && branch === this.state.branch) return;
    changeFolder(this, folder, branch);
  }

  #assign(name: string | undefined): boolean {
    if (this.state.entries.count > 0 || this.state.turn.status === 'running') return false;
    this.binding.release({ shouldClose: true });
    const agent = this.options.agents.refOf(name);
    this.dispatch({ type: 'agentNamed', ...(agent && { agent }) });
    if (this.state.preset) this.dispatch({ type: 'presetChosen' });
    return true;
  }

  /** Restores a transcript. A running turn ends as Interrupted. */
  restore(transcript: TranscriptContent): void {
    this.model.restore(transcript);
    this.model.endTerminals(t('window reloaded'));
    this.#endCompactions();
    if (this.state.turn.status === 'running') this.turn.end('interrupted');
    this.userRequests.cancelStale();
    this.queue.pauseRestored();
    this.limitRetry.arm();
    this.#budget?.resetCost();
  }

  /** A compaction does not outlive the agent's process. */
  #endCompactions(): void {
    for (const entry of openCompactions(this.state))
      this.dispatch({ type: 'compactionChanged', entry, patch: { status: 'cancelled' } });
  }

  get isTrusted(): boolean {
    return this.options.agents.isTrusted;
  }

  get isRemote(): boolean {
    return this.definition?.remote !== undefined;
  }

  get isReplay(): boolean {
    return this.definition?.origin === 'replay';
  }

  /** That of its process, which settings may not contain any more; of the settings before it starts. */
  get definition(): AgentDefinition | undefined {
    const { agent } = this.state;
    return this.binding.definition ?? (agent && this.options.agents.definition(agent.name));
  }

  /** Resumes the agent's session without a prompt, after opening from the list. False when that is not possible. */
  async reopen(): Promise<boolean> {
    const { agent, agentSession, entries } = this.state;
    if (!agent || !agentSession) return false;
    try {
      const isReopened = (await this.binding.resume(agent.name)) !== undefined;
      const { refusal } = this.binding;
      if (!isReopened && refusal !== undefined && this.state.entries.count === 0)
        this.turn.failures.show(
          new ParleyError('agentRefused', t('{0} did not open the session: {1}', agent.title, refusal)),
        );
      return isReopened;
    } catch (error) {
      this.options.log.info('session', `Failed to resume session ${this.id}: ${errorMessage(error)}`);
      // A transcript can be read anyway, and the connection's state shows the error.
      if (entries.count === 0 || ParleyError.is(error, 'folderNotFound')) this.turn.failures.show(error);
      return false;
    }
  }

  /** Starts with the transcript of another session. */
  copyFrom(transcript: TranscriptContent): void {
    this.model.copyFrom(transcript);
    this.limitRetry.cancel();
    this.#budget?.resetCost();
  }

  /** Another session ended the process of the shared agent. */
  onProcessEnd(): void {
    this.restarter.onProcessEnd();
  }

  /** Ends running turns as Interrupted before the window ends the agent. */
  interrupt(): void {
    this.warmStart.release();
    if (this.isRemote) this.userRequests.detachAll();
    // A remote agent goes on: what the next window does not get from it is stored here.
    else this.model.endUpdates();
    if (this.state.turn.status === 'running') this.turn.end('interrupted');
  }

  /** Closes requests and ends the running turn, because the session is being closed. */
  cancelTurn(): void {
    if (this.state.turn.status !== 'running') return;
    this.queue.dispose();
    this.turn.stop();
    this.turn.end('cancelled');
  }

  dispose(): void {
    this.queue.dispose();
    this.limitRetry.dispose();
    this.userRequests.dispose();
    this.turn.dispose();
    this.binding.dispose();
    this.#onDidAsk.dispose();
    this.model.dispose();
    void this.history.close();
  }

  fallbackAgent(): string | undefined {
    return this.options.fallbackAgent();
  }

  onAgentSessionAbandoned(agentName: string, agentSessionId: string): void {
    this.options.onDidAbandon?.(agentName, agentSessionId);
  }

  onAgentSessionOpened(opened: AgentSession, result: JsonObject): void {
    const previous = this.state.agentSession;
    const agentSession = withCapabilities(opened, this.binding.current?.link);
    const initial = initialConfigOptions(result, (text) => this.options.log.warn('session', text));
    this.configOptions.applyInitial(initial, this.binding.current?.isFresh === true);
    const isSame = previous?.id === agentSession.id && previous.cwd === agentSession.cwd;
    if (isSame && previous.canFork === agentSession.canFork && previous.program === agentSession.program) return;
    this.dispatch({ type: 'agentSessionOpened', session: agentSession });
  }

  onAgentState(state: AgentState, link: SharedAgent): void {
    const isReconnected = this.state.connection.status === 'reconnecting' && state.status === 'ready';
    this.dispatch({ type: 'connectionChanged', connection: toConnection(state, link.signIn.state) });
    if (isReconnected) void this.reopen();
    if (state.status === 'exited') this.turn.failures.showExit(state, link.definition.title);
  }
}
