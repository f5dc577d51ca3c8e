import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { AgentState } from '../agent/connection/agentLaunch';
import { systemClock } from '../base/clock';
import type { Clock } from '../base/clock';
import { ParleyError } from '../base/errors';
import type { JsonObject } from '../base/json';
import { t } from '../base/l10n';
import type { Attachment } from '../shared/protocol/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { AgentSession } from '../shared/state/sessionState';
import type { SharedAgent, AgentPool, AttachedSession } from './agents/agentPool';
import { SessionAuth } from './agents/sessionAuth';
import { AgentSessionBinding } from './agents/agentSessionBinding';
import { ConfigOptionUpdates } from './agents/configOptionUpdates';
import { toConnection } from './agents/connectionState';
import type { ModelOptions, SessionModel } from './sessionModel';
import type { Confinement } from '../permissions/toolCallRequest';
import type { PermissionPolicy } from '../permissions/permissionPolicy';
import { emptyPolicy } from '../permissions/permissionPolicy';
import type { PromptFileStore } from './promptFiles/promptFileStore';
import { UserRequests } from './userRequests/userRequests';
import { AgentRestarter } from './agents/agentRestarter';
import { withCapabilities } from './agents/sessionCapabilities';
import { initialConfigOptions } from './translate/translateConfigOptions';
import { MessageQueue } from './turn/messageQueue';
import { PromptSender } from './turn/promptSender';
import { steer } from './turn/steering';
import { TurnRunner } from './turn/turnRunner';

export interface SessionOptions extends ModelOptions {
  readonly agents: AgentPool;
  /** Absolute. */
  readonly cwd: string;
  /** Agent of a prompt that is sent before one was selected. */
  readonly fallbackAgent: string;
  readonly virtualFolders?: readonly string[];
  /** Measures the silence after a replay; the system clock if undefined. */
  readonly clock?: Clock;
  /** Decides permission requests; no rules if undefined. */
  readonly policy?: PermissionPolicy;
  readonly prompts?: Pick<PromptFileStore, 'expand'>;
  /**
   * Creates a checkpoint before a prompt. Never rejects.
   * @param entry the prompt's
   */
  readonly beforePrompt?: (entry: number) => Promise<void>;
  /** Reads attachments when a message is sent; undefined where nothing can be attached. */
  readonly readAttachments?: (attachments: readonly Attachment[]) => Promise<readonly Block[]>;
  /** Milliseconds until Force Stop is offered. */
  readonly stopDeadline: number;
}

/** Creates and connects the components of a session. */
export class SessionParts {
  readonly #session: AttachedSession;
  readonly #options: SessionOptions;
  readonly questions: UserRequests;
  readonly binding: AgentSessionBinding;
  readonly turn: TurnRunner;
  readonly choices: ConfigOptionUpdates;
  readonly sending: PromptSender;
  readonly queue: MessageQueue;
  readonly restarting: AgentRestarter;
  readonly auth: SessionAuth;

  /** @param asked called with the entry of a permission request */
  constructor(session: AttachedSession, model: SessionModel, options: SessionOptions, asked: (entry: number) => void) {
    const { agents, now, log, cwd, stopDeadline, virtualFolders = [], clock = systemClock, prompts } = options;
    this.#session = session;
    this.#options = options;
    const policy = options.policy ?? emptyPolicy();
    this.questions = new UserRequests({
      model,
      now,
      asked,
      policy,
      folders: () => options.folders,
      confined: () => this.#confined(),
      isBuiltIn: () => this.#definition()?.origin === 'builtIn',
    });
    const onState = (state: AgentState, link: SharedAgent): void => this.#onAgentState(state, link);
    const onOpened = (opened: AgentSession, result: JsonObject): void => this.#onOpened(opened, result);
    this.binding = new AgentSessionBinding({ agents, session, cwd, clock, log, onState, onOpened });
    const { binding } = this;
    const ready = (): Promise<void> => this.choices.settled();
    this.turn = new TurnRunner({
      session,
      binding,
      asks: this.questions,
      now,
      stopDeadline,
      virtualFolders,
      log,
      ready,
      prepare: async (entry) => options.beforePrompt?.(entry),
    });
    const { turn } = this;
    const agentName = (): string => this.agentName();
    this.choices = new ConfigOptionUpdates({ session, bind: () => binding.bind(agentName()), log, now });
    model.onDidDispatch((dispatched) => this.choices.follow(dispatched));
    const queue = (): MessageQueue => this.queue;
    this.sending = new PromptSender({ session, binding, turn, agentName, queue, now, ...(prompts && { prompts }) });
    this.queue = this.#createQueue(model);
    this.restarting = new AgentRestarter({ session, agents, binding, turn, agentName, now });
    this.auth = this.#createAuth();
  }

  #confined(): Confinement | undefined {
    if (!this.#options.agents.isTrusted) return 'untrusted';
    return this.#definition()?.remote ? 'remote' : undefined;
  }

  #definition(): AgentDefinition | undefined {
    const { agent } = this.#session.state;
    return agent && this.#options.agents.definition(agent.name);
  }

  /** The session's agent; sets the default when there is none. */
  agentName(): string {
    const { agents, fallbackAgent } = this.#options;
    const { agent } = this.#session.state;
    if (agent) return agent.name;
    this.#session.dispatch({ type: 'agentNamed', agent: agents.reference(fallbackAgent) });
    return fallbackAgent;
  }

  dispose(): void {
    this.queue.dispose();
    this.questions.dispose();
    this.turn.dispose();
    this.binding.dispose();
  }

  #createQueue(model: SessionModel): MessageQueue {
    const { sending, binding, turn } = this;
    const { log, now, readAttachments = unreadable } = this.#options;
    const session = this.#session;
    const expectEcho = (sent: string, blocks: readonly Block[]): (() => void) => model.expectEcho(sent, blocks);
    const queue = new MessageQueue({
      session,
      read: (attachments) => (attachments.length === 0 ? Promise.resolve([]) : readAttachments(attachments)),
      prepare: (text, blocks) => sending.prepare(text, blocks),
      prompt: (message) => sending.run(message),
      steer: (message, taken) => steer(message, { session, binding, now, expectEcho, taken }),
      stop: () => turn.stop(),
      sentence: (error) => sending.sentence(error),
      log,
      now,
    });
    model.onDidDispatch((dispatched) => queue.follow(dispatched));
    return queue;
  }

  #createAuth(): SessionAuth {
    const { turn, binding, sending } = this;
    return new SessionAuth({
      agents: this.#options.agents,
      follow: (link) => binding.follow(link),
      agentName: () => this.agentName(),
      failed: (error) => turn.showFailure(error),
      goOn: (name) => (turn.wasRefused ? sending.retry() : turn.start(name)),
    });
  }

  #onOpened(opened: AgentSession, result: JsonObject): void {
    const session = this.#session;
    const known = session.state.agentSession;
    const agentSession = withCapabilities(opened, this.binding.current?.link);
    const selectors = initialConfigOptions(result, (text) => this.#options.log.warn('session', text));
    this.choices.opened(selectors);
    const isKnown = known?.id === agentSession.id && known.cwd === agentSession.cwd;
    if (isKnown && known.canFork === agentSession.canFork) return;
    session.dispatch({ type: 'agentSessionOpened', session: agentSession });
  }

  #onAgentState(state: AgentState, link: SharedAgent): void {
    const session = this.#session;
    const returned = session.state.connection.status === 'reconnecting' && state.status === 'ready';
    session.dispatch({ type: 'connectionChanged', connection: toConnection(state, link.signIn.state) });
    if (returned) void session.reopen();
    if (state.status === 'exited') this.turn.agentExited(state, link.definition.title);
  }
}

function unreadable(): Promise<never> {
  return Promise.reject(new ParleyError('internal', t('Attachments cannot be read here')));
}
