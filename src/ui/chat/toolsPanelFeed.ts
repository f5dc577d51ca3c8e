import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable, toDisposable } from '../../base/lifecycle';
import type { ToolsIntent, ToolsPanelState } from '../../shared/protocol/toolsPanelState';
import type { UiSession, UiSessions } from '../uiTypes';

/** Milliseconds for which changes are merged: a busy agent makes many calls. */
const MERGE_WINDOW_MS = 100;

/** Implemented by the Tools panel of `mcp`. */
export interface ToolsPanelSource {
  shown(session: UiSession): ToolsPanelState;
  /** Keeps the lists of servers that no agent uses known until disposed. */
  view(session: UiSession): Disposable;
  /** Rejects when the change cannot be made or stored. */
  handle(intent: ToolsIntent): Promise<void>;
  refresh(): void;
  readonly onDidChange: Event<void>;
}

interface ToolsFeedOptions {
  readonly tools: ToolsPanelSource;
  readonly sessions: Pick<UiSessions, 'onDidChange'>;
  readonly session: () => UiSession;
  readonly post: (tools: ToolsPanelState) => void;
}

/** Updates the Tools panel of a page while it is open. */
export class ToolsPanelFeed implements Disposable {
  readonly #options: ToolsFeedOptions;
  readonly #store = new DisposableStore();
  readonly #timer = this.#store.add(new MutableDisposable<Disposable>());
  readonly #view = this.#store.add(new MutableDisposable<Disposable>());
  #isWatched = false;
  #known = '';

  constructor(options: ToolsFeedOptions) {
    const { tools, sessions } = options;
    this.#options = options;
    this.#store.add(tools.onDidChange(() => this.#later()));
    this.#store.add(sessions.onDidChange((session) => this.#changed(session)));
  }

  watch(isOpen: boolean): void {
    this.#isWatched = isOpen;
    this.#lease();
    if (isOpen) this.#post();
  }

  sessionChanged(): void {
    this.#lease();
    this.#later();
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** The new lease begins before the old one ends, so that nothing both need is canceled. */
  #lease(): void {
    const { tools, session } = this.#options;
    this.#view.value = this.#isWatched ? tools.view(session()) : undefined;
  }

  /** Filters the session changes that the panel shows. */
  #changed(session: UiSession): void {
    if (!this.#isWatched || session !== this.#options.session()) return;
    const { agent, connection } = session.state;
    const known = JSON.stringify([agent?.name, connection.status]);
    if (known === this.#known) return;
    this.#known = known;
    this.#later();
  }

  #later(): void {
    if (!this.#isWatched || this.#timer.value) return;
    const timer = setTimeout(() => {
      this.#timer.value = undefined;
      if (this.#isWatched) this.#post();
    }, MERGE_WINDOW_MS);
    this.#timer.value = toDisposable(() => clearTimeout(timer));
  }

  #post(): void {
    const { tools, session, post } = this.#options;
    post(tools.shown(session()));
  }
}
