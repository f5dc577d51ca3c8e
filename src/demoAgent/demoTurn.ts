import type {
  AgentContext,
  ClientRequestMethod,
  ClientRequestParamsByMethod,
  ClientRequestResponsesByMethod,
  PlanEntry,
  SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { methods } from '@agentclientprotocol/sdk/unstable';
import { CanceledError } from '../base/errors';
import type { SupportedCapabilities } from './clientCapabilities';
import type { DemoSession } from './demoSessions';
import type { Pacing } from './pacing';

/** Tokens. */
const CONTEXT_SIZE = 32_000;
const CHARACTERS_PER_TOKEN = 4;

interface TurnOptions {
  readonly session: DemoSession;
  readonly client: AgentContext;
  /** Aborts when the turn is canceled or the connection closes. */
  readonly signal: AbortSignal;
  readonly capabilities: SupportedCapabilities;
  readonly pace: Pacing;
}

/**
 * One prompt turn: scenes send and request through it. All methods reject as soon as the turn is canceled, so scenes
 * need no checks of their own.
 */
export class DemoTurn {
  readonly session: DemoSession;
  readonly client: AgentContext;
  readonly signal: AbortSignal;
  readonly capabilities: SupportedCapabilities;
  readonly pace: Pacing;
  #isSpeaking = false;

  constructor(options: TurnOptions) {
    this.session = options.session;
    this.client = options.client;
    this.signal = options.signal;
    this.capabilities = options.capabilities;
    this.pace = options.pace;
  }

  /** Streams Markdown as the agent's message; each call is a paragraph. */
  async streamMessage(markdown: string): Promise<void> {
    // Clients join consecutive chunks to one message, so the break between two calls is added here.
    const text = this.#isSpeaking ? `\n\n${markdown}` : markdown;
    this.session.characters += text.length;
    for (const chunk of chunksOf(text)) {
      await this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: chunk } });
      await this.pace.chunk(this.signal);
    }
  }

  async think(text: string): Promise<void> {
    for (const chunk of chunksOf(text)) {
      await this.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: chunk } });
      await this.pace.chunk(this.signal);
    }
  }

  /**
   * Sends the plan with the first `done` steps completed and the next one in progress. Always the whole plan (ACP
   * agent-plan).
   */
  async plan(steps: readonly string[], done: number): Promise<void> {
    const entries = steps.map((content, index): PlanEntry => {
      const status = index < done ? 'completed' : index === done ? 'in_progress' : 'pending';
      return { content, priority: 'medium', status };
    });
    await this.update({ sessionUpdate: 'plan', entries });
    await this.pace.step(this.signal);
  }

  /** Suggests the next message, in the form of Claude's adapter. */
  async suggest(text: string): Promise<void> {
    const _meta = { promptSuggestions: { suggestions: [{ text }] } };
    await this.update({ sessionUpdate: 'session_info_update', _meta });
  }

  /**
   * Reports the context that is used, estimated from the length of the texts.
   * @param rateLimit a usage limit in the form of Claude's adapter
   */
  async usage(rateLimit?: object): Promise<void> {
    const used = Math.ceil(this.session.characters / CHARACTERS_PER_TOKEN);
    const _meta = rateLimit && { '_claude/rateLimit': rateLimit };
    await this.update({ sessionUpdate: 'usage_update', used, size: CONTEXT_SIZE, ...(_meta && { _meta }) });
  }

  async update(update: SessionUpdate): Promise<void> {
    this.#throwIfCanceled();
    const kind = update.sessionUpdate;
    if (kind === 'agent_message_chunk') this.#isSpeaking = true;
    // Only these start a new entry in every client; a plan may be shown elsewhere.
    if (kind === 'tool_call' || kind === 'agent_thought_chunk') this.#isSpeaking = false;
    await this.client.notify(methods.client.session.update, { sessionId: this.session.id, update });
    this.#throwIfCanceled();
  }

  /** Sends a request to the client. A cancellation rejects immediately and sends `$/cancel_request`. */
  async request<M extends ClientRequestMethod>(
    method: M,
    params: ClientRequestParamsByMethod[M],
  ): Promise<ClientRequestResponsesByMethod[M]> {
    this.#throwIfCanceled();
    const options = { cancellationSignal: this.signal, stopWaitingOnCancel: true };
    const answer = await this.client.request(method, params, options);
    this.#throwIfCanceled();
    return answer;
  }

  #throwIfCanceled(): void {
    if (this.signal.aborted) throw new CanceledError();
  }
}

/** Chunks of about three words; joined they are the text. */
function chunksOf(text: string): readonly string[] {
  return text.match(/\s*(?:\S+\s*){1,3}/g) ?? [];
}
