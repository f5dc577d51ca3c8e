import type { Clock } from '../base/clock';
import { errorMessage } from '../base/errors';
import { Emitter } from '../base/event';
import type { JsonObject } from '../base/json';
import { t } from '../base/l10n';
import type { Logger } from '../base/logger';
import { DiffStore } from '../history/diff/diffStore';
import type { DiffTexts } from '../history/diff/diffStore';
import type { TranscriptContent } from '../history/transcriptFile';
import type { TranscriptWriter } from '../history/transcriptWriter';
import { displayPath } from '../node/fs/pathLabel';
import { withoutRequested } from '../shared/state/configOptionState';
import type { DiffContent } from '../shared/state/contentBlocks';
import { entryAt } from '../shared/state/entryPages';
import type { Action } from '../shared/state/sessionActions';
import { reduce } from '../shared/state/sessionReducer';
import type { AgentRef, SessionState } from '../shared/state/sessionState';
import { emptySession } from '../shared/state/sessionState';
import { EntryIndex, childCallId, isChildCall, wrapForSubagent, stateOf } from './entryIndex';
import { PromptEchoFilter } from './repeatedUpdates';
import { foldersFrom } from './sessionFolder';
import type { TranslateContext } from './translate/translateContent';
import { subjectPatch, toToolCallId, toolCallEntry, translateToolCall } from './translate/translateToolCall';
import { translateUpdate } from './translate/translateUpdate';

export interface ModelOptions {
  readonly id: string;
  readonly agent?: AgentRef;
  readonly folders: readonly string[];
  readonly worktrees?: { folderAround(folder: string): string | undefined };
  /** Absolute; the folder of a session for which none was chosen. The first folder if undefined. */
  readonly cwd?: string;
  readonly history: TranscriptWriter;
  readonly log: Logger;
  readonly clock: Clock;
}

export interface Dispatched {
  readonly action: Action;
  /** 1 for the first action in this window; without gaps. */
  readonly seq: number;
}

/** Transient actions, which are not stored and would be wrong after a reload. */
const ephemeral: ReadonlySet<Action['type']> = new Set([
  'connectionChanged',
  'stopOverdue',
  'commandsChanged',
  'backgroundTasksChanged',
  'promptSuggested',
  'selectorsChanged',
  'selectorChosen',
  'choiceSettled',
  'changesChanged',
  'checkpointsChanged',
  'queuedHeld',
  'queuedNext',
]);

/** Actions after which the config options and commands are stored, which change often and repeat long lists. */
const STORES_OPTIONS: ReadonlySet<Action['type']> = new Set(['turnEnded', 'choicesKept']);

/** Maximum depth of child sessions. */
const MAX_DEPTH = 10;

/** The only writer of a session's state (I1): every change goes through `dispatch`, and from there to page and disk. */
export class SessionModel {
  readonly #index = new EntryIndex();
  readonly repeatedPrompts = new PromptEchoFilter();
  readonly #diffs: DiffStore;
  readonly #onDidDispatch = new Emitter<Dispatched>();
  #state: SessionState;
  #seq = 0;
  #isEnded = false;
  /** Actions before the first prompt; a session without a prompt leaves no file. */
  #unsavedActions: Action[] | undefined = [];
  /** The stored config options and commands, as JSON, by the action's type. */
  readonly #storedValues = new Map<Action['type'], string>();

  readonly onDidDispatch = this.#onDidDispatch.event;

  constructor(private readonly options: ModelOptions) {
    this.#state = emptySession(options.id, options.agent);
    this.#diffs = new DiffStore((diffId, texts) => options.history.appendDiff(diffId, texts));
    if (options.agent) this.#save({ type: 'agentNamed', agent: options.agent });
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Absolute; see `SessionHandle`. */
  get cwd(): string {
    const { cwd, folders } = this.options;
    return this.#state.folder ?? cwd ?? folders[0] ?? '/';
  }

  get folders(): readonly string[] {
    const { folders, worktrees } = this.options;
    const worktree = worktrees?.folderAround(this.cwd);
    return worktree === undefined ? foldersFrom(this.cwd, folders) : [worktree];
  }

  get seq(): number {
    return this.#seq;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.options.clock.now();
  }

  /** Whether a transcript is on disk or will be soon. */
  get hasTranscript(): boolean {
    return this.#unsavedActions === undefined;
  }

  dispatch(action: Action): void {
    this.#apply(action);
    this.#save(action);
    this.#onDidDispatch.fire({ action, seq: ++this.#seq });
  }

  showNotice(severity: 'info' | 'warning', title: string, text: string): void {
    this.dispatch({ type: 'noticeShown', severity, title, text, at: this.now() });
  }

  /** Ignores later updates: the notice that the turn was interrupted stays behind all that it is about. */
  endUpdates(): void {
    this.#isEnded = true;
  }

  /**
   * Applies one `session/update`, in wire order. Never throws, whatever the content (I4).
   * @param childId the child session it is about
   */
  applyUpdate(update: JsonObject, childId?: string): void {
    if (this.#isEnded) return;
    const subagent = childId === undefined ? undefined : this.#index.subagentPath(childId);
    if (!subagent && this.repeatedPrompts.isRepeated(update)) return;
    // Children of children beyond this depth are shown beside the first: drawing and finding them takes quadratic time.
    const isTooDeep = update['sessionUpdate'] === 'subagent_update' && (subagent?.path.length ?? 0) >= MAX_DEPTH;
    const { path, index } = subagent && !isTooDeep ? subagent : { path: [], index: this.#index };
    const translation = (): Action[] => translateUpdate(update, this.#context(index, stateOf(this.#state, path)));
    const { entries } = stateOf(this.#state, path);
    const isAnnounced = update['sessionUpdate'] === 'tool_call';
    const known = isAnnounced ? toolCallEntry(update, { entries, index }, 'announcement') : undefined;
    this.#applyTranslation(translation, update, path);
    if (isAnnounced) index.markAnnounced(known ?? entries.count);
  }

  /**
   * Applies the `toolCall` of a permission request. The ids of a child session's calls are its own, and the request is shown in this
   * session, with a copy of the call.
   * @param sessionId the agent's id of the session that asks, if it may be a child session
   * @returns the entry of the call, or of its copy
   */
  applyToolCall(update: JsonObject, sessionId = ''): number {
    const child = this.#index.subagentPath(sessionId);
    const { path, index } = child ?? { path: [], index: this.#index };
    const context = this.#context(index, stateOf(this.#state, path));
    const known = toolCallEntry(update, context, 'question');
    this.#applyTranslation(() => translateToolCall(update, context, 'question'), update, path);
    const entry = known ?? index.toolCalls(toToolCallId(update)).entries.at(-1)?.entry;
    if (entry !== undefined && !child) return entry;
    if (entry !== undefined) index.markAsked(entry);
    const call = entry === undefined ? undefined : entryAt(stateOf(this.#state, path).entries, entry);
    // Without a call, the translation failed, and what came is shown as it is.
    const patch = call?.kind === 'tool' ? { ...subjectPatch(call), content: call.content } : { title: t('Permission') };
    const started = this.#state.entries.count;
    const toolCallId = child ? childCallId(sessionId, toToolCallId(update)) : '';
    this.dispatch({ type: 'toolStarted', toolCallId, patch, at: this.now() });
    return started;
  }

  /** After an approval. The agent reports the progress of a child session's call itself, not of its copy. */
  endCopy(entry: number): void {
    const call = entryAt(this.#state.entries, entry);
    if (call?.kind === 'tool' && isChildCall(call))
      this.dispatch({ type: 'toolChanged', entry, patch: { status: 'done' }, at: this.now() });
  }

  displayPath(path: string): string {
    return displayPath(path, this.folders);
  }

  addDiff({ path, oldText, newText }: { path: string; oldText?: string; newText: string }): DiffContent {
    return this.#diffs.add(path, this.displayPath(path), oldText, newText);
  }

  diff(diffId: string): DiffTexts | undefined {
    return this.#diffs.get(diffId);
  }

  /** Restores a stored transcript. Actions that this version cannot apply are logged and skipped. */
  restore(transcript: TranscriptContent): void {
    this.#unsavedActions = undefined;
    for (const action of transcript.actions) {
      try {
        this.#apply(action);
        if (ephemeral.has(action.type)) this.#storedValues.set(action.type, JSON.stringify(action));
      } catch (error) {
        this.options.log.warn('session', `Skipped an entry of transcript ${transcript.id}: ${errorMessage(error)}`);
      }
    }
    for (const [diffId, texts] of transcript.diffs) this.#diffs.restore(diffId, texts);
    if (transcript.damaged > 0) {
      this.options.log.warn('session', `Skipped ${transcript.damaged} damaged lines of transcript ${transcript.id}`);
    }
  }

  /** Starts with the transcript of another session, which stays unchanged. */
  copyFrom(transcript: TranscriptContent): void {
    this.restore(transcript);
    const { history } = this.options;
    for (const action of transcript.actions) history.append(action);
    for (const [diffId, texts] of transcript.diffs) history.appendDiff(diffId, texts);
  }

  /** Ends the terminals of a transcript: their commands do not outlive the window. */
  endTerminals(signal: string): void {
    const at = this.options.clock.now();
    for (const terminal of Object.values(this.#state.terminals)) {
      if (terminal.exit) continue;
      this.dispatch({ type: 'terminalExited', terminalId: terminal.terminalId, signal, at });
    }
  }

  dispose(): void {
    this.#onDidDispatch.dispose();
  }

  #apply(action: Action): void {
    const before = this.#state;
    this.#state = reduce(before, action);
    this.#index.apply(action, before);
    this.repeatedPrompts.apply(action);
  }

  #childName(sessionId: string): string | undefined {
    const path = this.#index.subagentPath(sessionId)?.path;
    if (!path) return undefined;
    const entry = entryAt(stateOf(this.#state, path.slice(0, -1)).entries, path.at(-1) ?? 0);
    return entry?.kind === 'subagent' ? (entry.title ?? t('Subagent')) : undefined;
  }

  #save(action: Action): void {
    if (ephemeral.has(action.type)) return;
    this.#store(action);
    if (STORES_OPTIONS.has(action.type)) this.#storeOptions();
  }

  /** A later window shows them before the agent runs. */
  #storeOptions(): void {
    const { selectors, commands } = this.#state;
    const lists: Action[] = [];
    if (selectors.length > 0) lists.push({ type: 'selectorsChanged', selectors: selectors.map(withoutRequested) });
    if (commands.length > 0) lists.push({ type: 'commandsChanged', commands });
    for (const list of lists) {
      const text = JSON.stringify(list);
      if (this.#storedValues.get(list.type) === text) continue;
      this.#storedValues.set(list.type, text);
      this.#store(list);
    }
  }

  #store(action: Action): void {
    const { history } = this.options;
    if (!this.#unsavedActions) {
      history.append(action);
      return;
    }
    this.#unsavedActions.push(action);
    const isStarted = action.type === 'promptSent' || (action.type === 'replayEnded' && this.#state.entries.count > 0);
    if (!isStarted) return;
    for (const earlier of this.#unsavedActions) history.append(earlier);
    this.#unsavedActions = undefined;
  }

  #applyTranslation(translation: () => Action[], update: JsonObject, path: readonly number[]): void {
    let actions: Action[];
    try {
      actions = translation();
    } catch (error) {
      this.options.log.error('session', `Failed to translate an update: ${errorMessage(error)}`, update);
      actions = [{ type: 'rawReceived', label: t('unreadable update'), value: update, at: this.options.clock.now() }];
    }
    for (const action of actions) this.dispatch(wrapForSubagent(action, path));
  }

  #context(index: EntryIndex, state: SessionState): TranslateContext {
    const label = (path: string): string => this.displayPath(path);
    return {
      now: this.options.clock.now(),
      label,
      selectors: state.selectors,
      entries: state.entries,
      terminals: this.#state.terminals,
      plans: state.plans,
      index,
      sessionName: (sessionId) => this.#childName(sessionId),
      logSkipped: (text) => this.options.log.info('session', text),
      diff: (path, oldText, newText) => this.#diffs.add(path, label(path), oldText, newText),
    };
  }
}
