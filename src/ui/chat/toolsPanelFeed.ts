import { DelayedCall } from '../../base/clock';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { IntentPage, ToolsPanelSource } from '../window';

/** Milliseconds for which changes are merged: a busy agent makes many calls. */
const MERGE_WINDOW_MS = 100;

/** Updates the Tools panel of a page while it is open. */
export class ToolsPanelFeed implements Disposable {
  readonly #store = new DisposableStore();
  readonly #refresh = this.#store.add(
    new DelayedCall(MERGE_WINDOW_MS, () => {
      if (this.#isWatched) this.#post();
    }),
  );
  readonly #view = this.#store.add(new MutableDisposable<Disposable>());
  #isWatched = false;
  #lastKey = '';

  constructor(
    private readonly page: IntentPage,
    private readonly tools: ToolsPanelSource,
    sessions: Sessions,
  ) {
    this.#store.add(tools.onDidChange(() => this.#later()));
    this.#store.add(sessions.onDidChange((session) => this.#updateIfAffected(session)));
  }

  watch(isOpen: boolean): void {
    this.#isWatched = isOpen;
    this.#lease();
    if (isOpen) this.#post();
  }

  onDidChangeSession(): void {
    this.#lease();
    this.#later();
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** The new lease begins before the old one ends, so that nothing both need is canceled. */
  #lease(): void {
    this.#view.value = this.#isWatched ? this.tools.view(this.page.session) : undefined;
  }

  /** Filters the session changes that the panel shows. */
  #updateIfAffected(session: Session): void {
    if (!this.#isWatched || session !== this.page.session) return;
    const { agent, connection } = session.state;
    const key = JSON.stringify([agent?.name, connection.status]);
    if (key === this.#lastKey) return;
    this.#lastKey = key;
    this.#later();
  }

  #later(): void {
    if (this.#isWatched) this.#refresh.schedule();
  }

  #post(): void {
    this.page.post({ type: 'tools', tools: this.tools.stateFor(this.page.session) });
  }
}
