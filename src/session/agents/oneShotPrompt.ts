import { randomUUID } from 'node:crypto';
import { settlesWithin } from '../../base/async';
import type { Clock } from '../../base/clock';
import { CanceledError, ParleyError, errorSentences } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asObject, asString } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { toPermissionOutcome } from '../../permissions/rules/decisionOutcome';
import type { SessionState } from '../../shared/state/sessionState';
import { emptySession } from '../../shared/state/sessionState';
import { stopReasonNotice } from '../../shared/text/statusText';
import type { AttachedSession, RequestsToUser, UpdateReceiver } from '../sessionHandle';
import { toPermissionOptions } from '../translate/translateToolCall';
import type { AgentPool } from './agentPool';
import type { BoundSession } from './openAgentSession';
import { newAgentSession, discardAgentSession } from './openAgentSession';
import type { SharedAgent } from './sharedAgent';
import { isAboutSignIn } from './signInFlow';

interface PromptOnceOptions {
  readonly agents: AgentPool;
  readonly agentName: string;
  /** Absolute. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Reports the session's id, so that lists can hide it. */
  onDidOpen(agentSessionId: string): void;
}

/** Milliseconds for an agent to answer a canceled prompt. */
const STOP_TIMEOUT_MS = 2_000;

/**
 * Sends one prompt in a separate session, outside any chat: without tool servers, with every permission refused and every form declined.
 * Closes the session afterwards, and deletes it where supported.
 * @returns the agent's text after its last tool call
 * @throws CanceledError when the signal aborts
 * @throws ParleyError or RpcError when the agent cannot be started or does not answer
 */
export async function promptOnce(prompt: string, options: PromptOnceOptions): Promise<string> {
  const { agents, agentName, cwd, clock, log, signal } = options;
  await agents.ready();
  const link = agents.acquire(agentName);
  const oneShot = new OneShotSession(cwd);
  const abortable = createAbortable(signal);
  try {
    await abortable.race(link.connection.start());
    const discard = (_link: SharedAgent, id: string): void => discardAgentSession(link, id, log);
    const target = { session: oneShot, clock, log, isOn: () => true, onDidOpen: () => {}, discard };
    const creating = newAgentSession(link, target).then((created) => {
      options.onDidOpen(created.agentSessionId);
      // The prompt was canceled, but the agent has opened the session.
      if (signal.aborted) discardAgentSession(link, created.agentSessionId, log);
      return created;
    });
    const bound = await abortable.race(creating);
    try {
      return await sendPrompt(bound, oneShot, prompt, abortable);
    } finally {
      discardAgentSession(link, bound.agentSessionId, log);
    }
  } catch (error) {
    if (!isAboutSignIn(error)) throw error;
    const title = link.definition.title;
    throw new ParleyError('signInRequired', `${t('{0} requires sign-in.', title)} ${errorSentences(error)}`, {
      cause: error,
    });
  } finally {
    abortable.dispose();
  }
}

async function sendPrompt(
  bound: BoundSession,
  oneShot: OneShotSession,
  prompt: string,
  abortable: Abortable,
): Promise<string> {
  const { connection, definition } = bound.link;
  const sessionId = bound.agentSessionId;
  const content = [{ type: 'text', text: prompt }];
  // In wire order: updates after the response do not belong to the answer (I3).
  const onSettled = (): void => oneShot.finish();
  const answered = connection.request('session/prompt', { sessionId, prompt: content }, { onSettled });
  try {
    const result = asObject(await abortable.race(Promise.race([answered, oneShot.ended])));
    const stopReason = asString(result?.['stopReason']) ?? 'end_turn';
    const notice = stopReasonNotice(stopReason);
    if (notice) throw new ParleyError('agentRefused', `${definition.title}: ${notice.title}`);
  } catch (error) {
    if (!abortable.signal.aborted) throw error;
    bound.link.cancel(sessionId);
    await settlesWithin(answered, STOP_TIMEOUT_MS);
    throw new CanceledError();
  }
  return oneShot.answer;
}

interface Abortable {
  readonly signal: AbortSignal;
  /** Rejects with {@link CanceledError} as soon as the signal aborts. */
  race<T>(promise: Promise<T>): Promise<T>;
  dispose(): void;
}

function createAbortable(signal: AbortSignal): Abortable {
  let cancel = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    cancel = () => reject(new CanceledError());
  });
  aborted.catch(() => undefined);
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return {
    signal,
    race: (promise) => Promise.race([promise, aborted]),
    dispose: () => signal.removeEventListener('abort', cancel),
  };
}

const WHY = t('only a text answer is allowed for this request');

const refusedRequests: RequestsToUser = {
  requestPermission: async ({ options }) => {
    const denied = toPermissionOutcome({ decision: 'deny', reason: WHY, by: 'session' }, toPermissionOptions(options));
    return denied ?? { type: 'canceled', reason: WHY };
  },
  authorize: async () => ({ allowed: false, reason: WHY, by: 'builtIn' }),
  judge: async () => ({ decision: 'deny', reason: WHY, by: 'builtIn' }),
  elicit: () => ({ answer: Promise.resolve({ action: 'decline' }), complete: () => {} }),
};

/** A session that collects the answer and refuses everything else. */
class OneShotSession implements AttachedSession {
  readonly id = randomUUID();
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly wantsTools = false as const;
  readonly hasTranscript = false;
  readonly model: UpdateReceiver = this;
  readonly userRequests = refusedRequests;
  /** Running from the start, so that the process is not ended as idle. */
  readonly state: SessionState;
  #answer = '';
  #isFinished = false;
  #end: (error: unknown) => void = () => {};
  /** Rejects when the shared process is ended. */
  readonly ended: Promise<never>;

  constructor(cwd: string) {
    this.cwd = cwd;
    this.folders = [cwd];
    this.state = { ...emptySession(this.id), turn: { status: 'running', startedAt: 0, firstEntry: 0 } };
    this.ended = new Promise((_resolve, reject) => {
      this.#end = reject;
    });
    this.ended.catch(() => undefined);
  }

  get answer(): string {
    return this.#answer;
  }

  finish(): void {
    this.#isFinished = true;
  }

  /** Text before a tool call is not part of the answer. */
  applyUpdate(update: JsonObject, childId?: string): void {
    if (childId !== undefined || this.#isFinished) return;
    const kind = update['sessionUpdate'];
    if (kind === 'tool_call') this.#answer = '';
    if (kind !== 'agent_message_chunk') return;
    this.#answer += asString(asObject(update['content'])?.['text']) ?? '';
  }

  dispatch(): void {}

  onProcessEnd(): void {
    this.#end(new ParleyError('agentExited', t('The agent was restarted in the meantime.')));
  }

  async reopen(): Promise<boolean> {
    return false;
  }
}
