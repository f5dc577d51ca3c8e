import { batch, computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { Emitter } from '../../base/event';
import type { HostMessage, PageEnvironment, PageNotice } from '../../shared/protocol/chatPageProtocol';
import { slashCommands } from '../../shared/protocol/slashCommands';
import type { ToolsPanelState } from '../../shared/protocol/toolsPanelState';
import { emptyQueue } from '../../shared/state/messageQueueState';
import type { Action } from '../../shared/state/sessionActions';
import { reduce } from '../../shared/state/sessionReducer';
import { ENTRIES_PER_PAGE } from '../../shared/state/sessionState';
import type { Entry, EntryPages, SessionState } from '../../shared/state/sessionState';
import type { Terminal } from '../../shared/state/terminalState';
import type { StoredConversation } from '../page/draftMemory';
import type { PageHost } from '../page/pageHost';

/** A signal of one entry with the text that its last change appended. */
export interface EntryCell<T> {
  readonly value: Signal<T>;
  appended: string;
}

export interface EntryPageCells {
  readonly index: number;
  readonly count: Signal<number>;
  readonly cells: EntryCell<Entry>[];
}

/** One batch of actions, for listeners to events rather than state. */
export interface AppliedActions {
  readonly actions: readonly Action[];
  readonly before: SessionState;
  readonly after: SessionState;
}

/** Appended text per batch: by entry index, or by terminal id. */
type AppendedText = Map<number | string, string>;

/** Snapshots requested because of errors before the page gives up. */
const MAX_FAILURES = 3;

/**
 * The session in the page: the host's `reduce`, then only the changed signals. The page may be destroyed at any time: a snapshot restores
 * everything, also during a turn (I2).
 */
export class ChatStore {
  /** Of the last snapshot and the actions since; undefined before the first snapshot. */
  readonly #state = signal<SessionState | undefined>(undefined);
  readonly latest: ReadonlySignal<SessionState | undefined> = this.#state;
  /** A stored conversation is shown, and the host has not answered yet: nothing in it can be used. */
  readonly isProvisional = signal(false);
  /** Changes with every new session; undefined before the first snapshot. */
  readonly epoch = signal<number | undefined>(undefined);
  readonly environment = signal<PageEnvironment>({ agents: [], trusted: true, mac: false });

  readonly agent = this.#field('agent');
  readonly preset = this.#field('preset');
  /** The branch of the git worktree that the session works in. */
  readonly branch = this.#field('branch');
  readonly title = this.#field('title');
  /** Set for an imported session. */
  readonly imported = this.#field('imported');
  readonly connection = this.#field('connection', { status: 'idle' });
  readonly turn = this.#field('turn', { status: 'idle' });
  readonly plan = this.#field('plan', []);
  readonly plans = this.#field('plans', []);
  readonly configOptions = this.#field('selectors', []);
  readonly commands = this.#field('commands', []);
  readonly queue = this.#field('queue', emptyQueue);
  readonly usage = this.#field('usage');
  readonly tokens = this.#field('tokens');
  readonly limits = this.#field('limits');
  readonly retryAt = this.#field('retryAt');
  readonly changes = this.#field('changes', []);
  readonly checkpoints = this.#field('checkpoints', []);
  readonly rewinds = this.#field('rewinds', []);
  readonly #folder = this.#field('folder');
  readonly #turns = this.#field('turns', []);
  readonly #suggestion = this.#field('suggestion');

  /** The folder of the session, absolute. */
  readonly folder = computed(() => this.#folder.value ?? this.environment.value.folders?.initial);
  /** In a workspace with one folder, the folder is shown only if the session works in another one. */
  readonly isFolderShown = computed(() => {
    const roots = this.environment.value.folders?.roots ?? [];
    const isOther = this.folder.value !== roots[0]?.path;
    return !this.imported.value && (roots.length > 1 || (roots.length === 1 && isOther));
  });
  /** The next message that the agent suggests, unless the user has switched that off. */
  readonly suggestion = computed(() =>
    this.environment.value.suggestions === false ? undefined : this.#suggestion.value,
  );
  /** Ended turns by the index of their last entry. */
  readonly turnEnds = computed(() => new Map(this.#turns.value.map((turn) => [turn.end - 1, turn])));
  /** The agent's commands and the user's prompt files. */
  readonly allCommands = computed(() => slashCommands(this.commands.value, this.environment.value.prompts ?? []));
  /** Index of the oldest pending permission request. */
  readonly request = computed(() => this.#state.value?.waiting[0]);

  /** The result of the user's last action. */
  readonly notice = signal<PageNotice | undefined>(undefined);
  readonly tools = { open: signal(false), shown: signal<ToolsPanelState | undefined>(undefined) };
  readonly pageCount = signal(0);
  readonly entryCount = signal(0);

  #seq = 0;
  #isRequested = false;
  #failures = 0;
  #pages: EntryPageCells[] = [];
  #terminals = new Map<string, EntryCell<Terminal | undefined>>();
  readonly #onApplied = new Emitter<AppliedActions>();

  readonly onApplied = this.#onApplied.event;

  constructor(private readonly host: PageHost) {
    host.onMessage((message) => this.#receive(message));
  }

  get state(): SessionState | undefined {
    return this.#state.peek();
  }

  /** A signal of one field, with the value before the first snapshot. */
  #field<K extends keyof SessionState>(key: K): ReadonlySignal<SessionState[K] | undefined>;
  #field<K extends keyof SessionState>(key: K, initial: SessionState[K]): ReadonlySignal<SessionState[K]>;
  #field<K extends keyof SessionState>(key: K, initial?: SessionState[K]): ReadonlySignal<SessionState[K] | undefined> {
    return computed(() => (this.#state.value ? this.#state.value[key] : initial));
  }

  page(index: number): EntryPageCells | undefined {
    return this.#pages[index];
  }

  entry(index: number): EntryCell<Entry> | undefined {
    return this.#pages[Math.floor(index / ENTRIES_PER_PAGE)]?.cells[index % ENTRIES_PER_PAGE];
  }

  /** Exists before the terminal does. */
  terminal(terminalId: string): EntryCell<Terminal | undefined> {
    let cell = this.#terminals.get(terminalId);
    if (!cell) {
      cell = { value: signal(this.state?.terminals[terminalId]), appended: '' };
      this.#terminals.set(terminalId, cell);
    }
    return cell;
  }

  /** Shows a conversation until the first snapshot. */
  showStored({ state, environment }: StoredConversation): void {
    batch(() => {
      this.isProvisional.value = true;
      this.#clear();
      this.environment.value = environment;
      this.#show(undefined, state, new Map());
    });
  }

  #receive(message: HostMessage): void {
    try {
      if (message.type === 'snapshot') this.#restart(message);
      else if (message.type === 'actions') this.#apply(message);
      else if (message.type === 'environment') this.environment.value = message.environment;
      else if (message.type === 'tools') this.tools.shown.value = message.tools;
    } catch (error) {
      this.host.report(error);
      if (++this.#failures <= MAX_FAILURES) this.#requestSnapshot();
    }
  }

  /** Requests one snapshot. */
  #requestSnapshot(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.host.post({ type: 'ready' });
  }

  #restart(message: Extract<HostMessage, { type: 'snapshot' }>): void {
    const before = this.state;
    const { state } = message;
    this.#isRequested = false;
    this.#seq = message.seq;
    batch(() => {
      this.isProvisional.value = false;
      if (before?.id !== state.id || before.entries.count > state.entries.count) this.#clear();
      this.environment.value = message.environment;
      this.#show(undefined, state, new Map());
    });
    this.host.post({ type: 'ack', seq: this.#seq });
  }

  #clear(): void {
    this.#pages = [];
    this.#terminals = new Map();
    this.pageCount.value = 0;
    this.notice.value = undefined;
    this.epoch.value = (this.epoch.peek() ?? 0) + 1;
  }

  #apply(message: Extract<HostMessage, { type: 'actions' }>): void {
    const before = this.isProvisional.peek() ? undefined : this.state;
    // Already contained in a snapshot sent meanwhile.
    if (before && message.last <= this.#seq) return;
    if (!before || message.seq !== this.#seq + 1) {
      this.#requestSnapshot();
      return;
    }
    const appended: AppendedText = new Map();
    let after = before;
    for (const action of message.actions) {
      const next = reduce(after, action);
      noteGrowth(appended, after, next, action);
      after = next;
    }
    this.#seq = message.last;
    batch(() => this.#show(before, after, appended));
    this.#failures = 0;
    this.host.post({ type: 'ack', seq: this.#seq });
    this.#onApplied.fire({ actions: message.actions, before, after });
  }

  #show(before: SessionState | undefined, after: SessionState, appended: AppendedText): void {
    this.#state.value = after;
    if (before?.entries !== after.entries) this.#showEntries(before?.entries, after.entries, appended);
    if (before?.terminals !== after.terminals) this.#showTerminals(after, appended);
  }

  #showEntries(before: EntryPages | undefined, after: EntryPages, appended: AppendedText): void {
    for (const [index, entries] of after.pages.entries()) {
      if (before?.pages[index] === entries) continue;
      const page = (this.#pages[index] ??= { index, count: signal(0), cells: [] });
      for (const [at, entry] of entries.entries()) {
        showIn(page, at, entry, appended.get(index * ENTRIES_PER_PAGE + at) ?? '');
      }
      page.count.value = entries.length;
    }
    this.pageCount.value = after.pages.length;
    this.entryCount.value = after.count;
  }

  #showTerminals(after: SessionState, appended: AppendedText): void {
    for (const [id, cell] of this.#terminals) {
      const terminal = after.terminals[id];
      if (cell.value.peek() === terminal) continue;
      cell.appended = appended.get(id) ?? '';
      cell.value.value = terminal;
    }
  }
}

function showIn(page: EntryPageCells, at: number, entry: Entry, appended: string): void {
  const cell = page.cells[at];
  if (!cell) {
    page.cells[at] = { value: signal(entry), appended: '' };
  } else if (cell.value.peek() !== entry) {
    cell.appended = appended;
    cell.value.value = entry;
  }
}

function noteGrowth(appended: AppendedText, before: SessionState, after: SessionState, action: Action): void {
  if (before === after) return;
  if (action.type === 'terminalOutput') {
    appended.set(action.terminalId, (appended.get(action.terminalId) ?? '') + action.data);
  } else if (action.type === 'textAppended' && before.entries.count === after.entries.count) {
    const index = after.entries.count - 1;
    appended.set(index, (appended.get(index) ?? '') + action.text);
  }
}
