import { randomUUID } from 'node:crypto';
import { asObject } from '../base/json';
import { entryAt } from '../shared/entries';
import type { PermissionOutcome, SessionState } from '../shared/state';
import { Asks, offers } from './asks';
import type { AskedElicitation, ElicitationRequest } from './elicitations';
import { Elicitations } from './elicitations';
import { isStopping } from './idle';
import type { SessionModel } from './model';
import type { PermissionRequest } from './port';
import { toPermissionOptions } from './translate';

export interface QuestionsOptions {
  readonly model: SessionModel;
  readonly now: () => number;
  /** A question was put to the person: its entry. */
  readonly asked: (entry: number) => void;
}

/** Everything that a session's agent wants to know of the person: permissions, forms and addresses. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #asks: Asks;
  /** Forms and addresses that wait for the person. */
  readonly elicitations: Elicitations;

  constructor(options: QuestionsOptions) {
    const { model, now, asked } = options;
    this.#options = options;
    this.#asks = new Asks((entry, outcome) =>
      model.dispatch({ type: 'permissionAnswered', entry, outcome, at: now() }),
    );
    const dispatch: SessionModel['dispatch'] = (action) => model.dispatch(action);
    this.elicitations = new Elicitations({ state: () => model.state, dispatch, now, asked });
  }

  get #state(): SessionState {
    return this.#options.model.state;
  }

  /** Asks for a permission; the entry is in the transcript when this returns its promise. Never rejects (I7). */
  ask(request: PermissionRequest): Promise<PermissionOutcome> {
    const { model, now, asked } = this.#options;
    const tool = model.receiveToolCall(asObject(request.toolCall) ?? {});
    const called = entryAt(model.state.entries, tool);
    const title = (called?.kind === 'tool' && called.title) || 'Permission';
    const options = toPermissionOptions(request.options);
    const entry = model.state.entries.count;
    const permissionId = randomUUID();
    model.dispatch({ type: 'permissionAsked', permissionId, tool, title, options, at: now() });
    const answered = this.#asks.add(permissionId, entry, request.signal);
    // Nobody could answer a question without options.
    if (options.length === 0) this.#asks.answer(permissionId, { type: 'canceled', reason: 'no option was offered' });
    // It crossed session/cancel on the wire: what comes after Stop is canceled too, or the stopped turn would wait for the person.
    if (isStopping(model.state)) this.#asks.answer(permissionId, { type: 'canceled', reason: 'you stopped the turn' });
    if (this.#state.waiting.includes(entry)) asked(entry);
    return answered;
  }

  elicit(request: ElicitationRequest): AskedElicitation {
    return this.elicitations.ask(request);
  }

  /** Answers with one of the options; without effect when it was answered, or the option was never offered (I7). */
  answer(permissionId: string, optionId: string): void {
    const entry = this.#state.waiting
      .map((index) => entryAt(this.#state.entries, index))
      .find((waiting) => waiting?.kind === 'permission' && waiting.permissionId === permissionId);
    if (entry?.kind === 'permission' && offers(entry, optionId)) {
      this.#asks.answer(permissionId, { type: 'selected', optionId });
    }
  }

  cancelAll(reason: string): void {
    this.#asks.cancelAll(reason);
    this.elicitations.cancelAll(reason);
  }

  /** Those of a window that is gone: nobody waits for their answers any more. */
  forget(): void {
    const { waiting, entries } = this.#state;
    this.#asks.forget(waiting.filter((index) => entryAt(entries, index)?.kind === 'permission'));
    this.elicitations.forget();
  }
}
