import type { Clock } from '../base/clock';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore, MutableDisposable, toDisposable } from '../base/lifecycle';
import type { PlainSettingsReader } from '../base/settings';
import type { Session } from '../session/session';
import { sessionStatus } from '../session/sessionListItem';
import type { Sessions } from '../session/sessions';

/** Milliseconds; no computer goes to sleep earlier, and most turns are over. */
const START_DELAY_MS = 20_000;

/** Keeps the computer from going to sleep while an agent works, not while it only waits for the user. */
export class KeepAwake implements Disposable {
  readonly #store = new DisposableStore();
  /** While an agent works: the delay, then the program. */
  readonly #work = this.#store.add(new MutableDisposable<Disposable>());

  /** @param hold keeps the computer awake until the signal aborts; never rejects */
  constructor(
    private readonly sessions: Sessions,
    private readonly settings: PlainSettingsReader<'keepAwake'>,
    private readonly hold: (signal: AbortSignal) => Promise<void>,
    private readonly clock: Clock,
  ) {
    this.#store.add(sessions.onDidChange(() => this.#update()));
    this.#store.add(sessions.onDidClose(() => this.#update()));
    this.#store.add(settings.onDidChange(() => this.#update()));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #update(): void {
    const isAtWork = (session: Session): boolean => sessionStatus(session, false) === 'running';
    const isWorking = this.settings.get('keepAwake') && this.sessions.allOpen().some(isAtWork);
    if (!isWorking) this.#work.value = undefined;
    else this.#work.value ??= this.clock.after(START_DELAY_MS, () => this.#start());
  }

  #start(): void {
    const ending = new AbortController();
    this.#work.value = toDisposable(() => ending.abort());
    void this.hold(ending.signal);
  }
}
