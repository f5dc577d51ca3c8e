import type { AgentQuirk } from '../../src/agent/quirks/agentQuirk';
import { quirkOf } from '../../src/agent/quirks/agentQuirks';
import { systemClock } from '../../src/base/clock';
import type { JsonObject } from '../../src/base/json';
import { asArray, asObject, asString } from '../../src/base/json';
import { nullLogger } from '../../src/base/logger';
import { mergeTodos, planRequest, planTodos, questionForm } from '../../src/client/cursorFeature';
import { parseElicitation } from '../../src/client/elicitationFeature';
import type { TranscriptWriter } from '../../src/history/transcriptWriter';
import { SessionModel } from '../../src/session/sessionModel';
import { toPermissionOptions } from '../../src/session/translate/translateToolCall';
import { toPlanItems } from '../../src/session/translate/translateUpdate';
import type { ElicitationEntry } from '../../src/shared/state/elicitationState';
import { entryAt } from '../../src/shared/state/entryPages';
import type { Action } from '../../src/shared/state/sessionActions';
import { reduce } from '../../src/shared/state/sessionReducer';
import type { SessionState } from '../../src/shared/state/sessionState';
import { emptySession } from '../../src/shared/state/sessionState';
import { stubOf } from '../kit/stubOf';

interface Recorded {
  readonly dir: string;
  readonly msg: JsonObject;
}

/**
 * Plays the recorded messages of an agent and a client through the session model.
 * @param actions Collects dispatched actions, or with `fromActions` contains the actions to reduce.
 */
export function replayTraffic(records: readonly Recorded[], actions: Action[] = [], fromActions = false): SessionState {
  if (fromActions) return actions.reduce(reduce, emptySession('replay'));
  const player = new Player(actions);
  for (const record of records) player.play(record);
  return player.model.state;
}

/** What answers to forms mean, and to plans: ACP's, and Cursor's own. */
const ANSWERS: Readonly<Record<string, 'accepted' | 'declined'>> = {
  accept: 'accepted',
  answered: 'accepted',
  decline: 'declined',
  skipped: 'declined',
};
const OPTIONS: Readonly<Record<string, string>> = { accepted: 'accept', rejected: 'reject' };

class Player {
  readonly model: SessionModel;
  /** Methods of pending requests, by direction and id. */
  readonly #open = new Map<string, { method: string; entry?: number }>();
  #clock = 0;
  #todos: readonly JsonObject[] = [];
  #quirk: AgentQuirk | undefined;

  constructor(actions: Action[]) {
    const history = stubOf<TranscriptWriter>({ append() {}, appendDiff() {} });
    const now = (): number => ++this.#clock;
    this.model = new SessionModel({
      id: 'replay',
      folders: ['/workspace'],
      history,
      log: nullLogger,
      clock: { ...systemClock, now },
    });
    this.model.onDidDispatch(({ action }) => actions.push(action));
  }

  play({ dir, msg }: Recorded): void {
    const method = asString(msg['method']);
    const params = asObject(msg['params']) ?? {};
    const id = JSON.stringify(msg['id']);
    if (method === 'session/update') this.#update(asObject(params['update']) ?? {});
    else if (method === 'session/prompt') this.#prompt(params);
    else if (method === this.#quirk?.notification?.method) this.#notified(params);
    const entry = this.#asked(method, params);
    if (method !== undefined && msg['id'] !== undefined) {
      this.#open.set(`${dir} ${id}`, { method, ...(entry !== undefined && { entry }) });
    } else if (method === undefined) {
      this.#settle(`${dir === 'in' ? 'out' : 'in'} ${id}`, msg);
    }
  }

  #update(update: JsonObject): void {
    const meant = this.#quirk?.update ? this.#quirk.update(update) : update;
    if (meant) this.model.applyUpdate(meant);
  }

  #notified(params: JsonObject): void {
    const read = this.#quirk?.notification?.toUpdate(params);
    if (read) this.#update(read.update);
  }

  #prompt(params: JsonObject): void {
    const text = asArray(params['prompt']).map((block) => asString(asObject(block)?.['text']) ?? '');
    this.model.dispatch({ type: 'promptSent', text: text.join(''), blocks: [], at: 0 });
  }

  /** The entry of a request to the user. */
  #asked(method: string | undefined, params: JsonObject): number | undefined {
    switch (method ?? '') {
      case 'session/request_permission':
        return this.#ask(params);
      case 'elicitation/create':
        return this.#elicit(parseElicitation(params));
      case 'cursor/ask_question':
        return this.#elicit(questionForm(params));
      case 'cursor/create_plan':
        this.#setTodos({ todos: planTodos(params) });
        return this.#ask({ ...planRequest(params) });
      case 'cursor/update_todos':
        this.#setTodos(params);
        return undefined;
      default:
        return undefined;
    }
  }

  #setTodos(params: JsonObject): void {
    this.#todos = mergeTodos(this.#todos, params);
    this.model.dispatch({ type: 'planChanged', items: toPlanItems(this.#todos) });
  }

  #elicit({ message, question }: Pick<ElicitationEntry, 'message' | 'question'>): number {
    const entry = this.model.state.entries.count;
    this.model.dispatch({
      type: 'elicitationAsked',
      elicitationId: String(entry),
      agent: 'A',
      message,
      question,
      at: 0,
    });
    return entry;
  }

  #ask(params: JsonObject): number {
    const tool = this.model.applyToolCall(asObject(params['toolCall']) ?? {});
    const called = entryAt(this.model.state.entries, tool);
    const title = called?.kind === 'tool' ? called.title : '';
    const options = toPermissionOptions(asArray(params['options']));
    const entry = this.model.state.entries.count;
    this.model.dispatch({ type: 'permissionAsked', permissionId: String(entry), tool, title, options, at: 0 });
    return entry;
  }

  #answer(entry: number, { action, outcome: answer }: JsonObject): void {
    const canceled = { type: 'canceled', reason: 'stopped' } as const;
    const { optionId, outcome: said } = asObject(answer) ?? {};
    if (entryAt(this.model.state.entries, entry)?.kind === 'elicitation') {
      const given = asString(action) ?? asString(said) ?? '';
      const type = ANSWERS[given];
      this.model.dispatch({ type: 'elicitationAnswered', entry, outcome: type ? { type } : canceled });
      return;
    }
    const chosen = asString(optionId) ?? OPTIONS[asString(said) ?? ''];
    const outcome = chosen === undefined ? canceled : ({ type: 'selected', optionId: chosen } as const);
    this.model.dispatch({ type: 'permissionAnswered', entry, outcome, at: 0 });
  }

  #settle(key: string, msg: JsonObject): void {
    const request = this.#open.get(key);
    this.#open.delete(key);
    const result = asObject(msg['result']);
    if (request?.method === 'initialize') this.#quirk = quirkOf(asString(asObject(result?.['agentInfo'])?.['name']));
    if (request?.method === 'session/prompt') {
      this.model.dispatch({ type: 'turnEnded', stopReason: asString(result?.['stopReason']) ?? 'error', at: 0 });
    } else if (request?.entry !== undefined) {
      this.#answer(request.entry, result ?? {});
    }
  }
}
