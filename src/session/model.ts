import { messageOf } from '../base/errors';
import { Emitter } from '../base/event';
import type { JsonObject } from '../base/json';
import type { Log } from '../base/log';
import type { Action } from '../shared/actions';
import { reduce } from '../shared/reducer';
import type { AgentRef, SessionState } from '../shared/state';
import { emptySession } from '../shared/state';
import { DiffStore } from './diffStore';
import type { DiffTexts } from './diffStore';
import type { HistoryWriter, Transcript } from './history';
import { pathLabel } from './label';
import { ToolIndex } from './toolIndex';
import { toolCall, translate } from './translate';
import type { TranslateContext } from './translate';

export interface ModelOptions {
  readonly id: string;
  readonly agent?: AgentRef;
  readonly folders: readonly string[];
  readonly history: HistoryWriter;
  readonly log: Log;
  readonly now: () => number;
}

/** An action that took effect, and its number. */
export interface Dispatched {
  readonly action: Action;
  /** 1 for the first action of this window; without gaps. */
  readonly seq: number;
}

/** Depends on the moment, not on what was said: not worth keeping, and wrong after a reload. */
const ephemeral: ReadonlySet<Action['type']> = new Set(['connectionChanged', 'stopOverdue', 'commandsChanged']);

/** The one writer of a session's state (I1): everything that happens goes through `dispatch`, and from there to page and disk. */
export class SessionModel {
  readonly #options: ModelOptions;
  readonly #tools = new ToolIndex();
  readonly #diffs: DiffStore;
  readonly #dispatched = new Emitter<Dispatched>();
  #state: SessionState;
  #seq = 0;
  /** What happened before the first prompt; a session without one leaves no file behind. */
  #unsaved: Action[] | undefined = [];

  readonly onDidDispatch = this.#dispatched.event;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#state = emptySession(options.id, options.agent);
    this.#diffs = new DiffStore((diffId, texts) => options.history.appendDiff(diffId, texts));
    if (options.agent) this.#save({ type: 'agentNamed', agent: options.agent });
  }

  get state(): SessionState {
    return this.#state;
  }

  get seq(): number {
    return this.#seq;
  }

  dispatch(action: Action): void {
    this.#apply(action);
    this.#save(action);
    this.#dispatched.fire({ action, seq: ++this.#seq });
  }

  /** Applies one `session/update`, in wire order. Whatever it holds, it never throws (I4). */
  receive(update: JsonObject): void {
    this.#translated(() => translate(update, this.#context()), update);
  }

  /** Applies the `toolCall` of a permission request. @returns the entry of the call */
  receiveToolCall(update: JsonObject): number {
    this.#translated(() => toolCall(update, this.#context(), false), update);
    const entry = this.#tools.find(String(update['toolCallId']), false);
    if (entry !== undefined) return entry;
    const started = this.#state.entries.count;
    this.dispatch({ type: 'toolStarted', toolCallId: '', patch: { title: 'Permission' }, at: this.#options.now() });
    return started;
  }

  /** The two whole texts of a diff. */
  diff(diffId: string): DiffTexts | undefined {
    return this.#diffs.get(diffId);
  }

  /** Brings back what was kept on disk. Actions that this version cannot apply are skipped and logged. */
  restore(transcript: Transcript): void {
    this.#unsaved = undefined;
    for (const action of transcript.actions) {
      try {
        this.#apply(action);
      } catch (error) {
        this.#options.log.warn('session', `Skipped an entry of transcript ${transcript.id}: ${messageOf(error)}`);
      }
    }
    for (const [diffId, texts] of transcript.diffs) this.#diffs.restore(diffId, texts);
    if (transcript.damaged > 0) {
      this.#options.log.warn(
        'session',
        `Transcript ${transcript.id}: ${transcript.damaged} damaged lines were skipped`,
      );
    }
  }

  dispose(): void {
    this.#dispatched.dispose();
  }

  #apply(action: Action): void {
    const { count } = this.#state.entries;
    this.#state = reduce(this.#state, action);
    this.#tools.follow(action, count);
  }

  #save(action: Action): void {
    if (ephemeral.has(action.type)) return;
    const { history } = this.#options;
    if (!this.#unsaved) {
      history.append(action);
      return;
    }
    this.#unsaved.push(action);
    if (action.type !== 'promptSent') return;
    for (const earlier of this.#unsaved) history.append(earlier);
    this.#unsaved = undefined;
  }

  #translated(translation: () => Action[], update: JsonObject): void {
    let actions: Action[];
    try {
      actions = translation();
    } catch (error) {
      this.#options.log.error('session', `An update could not be read: ${messageOf(error)}`, update);
      actions = [{ type: 'rawReceived', label: 'unreadable update', value: update, at: this.#options.now() }];
    }
    for (const action of actions) this.dispatch(action);
  }

  #context(): TranslateContext {
    const label = (path: string): string => pathLabel(path, this.#options.folders);
    return {
      now: this.#options.now(),
      label,
      toolEntry: (toolCallId, announced) => this.#tools.find(toolCallId, announced),
      diff: (path, oldText, newText) => this.#diffs.add(path, label(path), oldText, newText),
    };
  }
}
