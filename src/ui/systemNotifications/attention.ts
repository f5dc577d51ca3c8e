import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { SessionState } from '../../shared/state/sessionState';
import type { TurnSummary } from '../../shared/state/turnSummary';

/** An event that the user may want to know in another window. */
export type Attention =
  /** `entry`: index of the request. */
  | { readonly type: 'waiting'; readonly session: Session; readonly entry: number }
  | { readonly type: 'turnEnded'; readonly session: Session; readonly turn: TurnSummary | undefined };

/** Reports requests that start to wait, and the ends of turns, while the window has no focus. */
export class AttentionEvents implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidNeedAttention = this.#store.add(new Emitter<Attention>());
  readonly #running = new WeakSet<Session>();

  readonly onDidNeedAttention: Event<Attention> = this.#onDidNeedAttention.event;

  constructor(
    sessions: Sessions,
    private readonly isFocused: () => boolean,
  ) {
    this.#store.add(sessions.onDidAsk((request) => this.#fire({ type: 'waiting', ...request })));
    this.#store.add(sessions.onDidChange((session) => this.#onDidChange(session)));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #onDidChange(session: Session): void {
    const { state } = session;
    if (state.turn.status === 'running') this.#running.add(session);
    else if (this.#running.delete(session) && !hasNextMessage(state))
      this.#fire({ type: 'turnEnded', session, turn: state.turns.at(-1) });
  }

  #fire(attention: Attention): void {
    if (!this.isFocused()) this.#onDidNeedAttention.fire(attention);
  }
}

/** A queued message is sent next, so nothing has finished. */
function hasNextMessage({ queue, turn }: SessionState): boolean {
  if (queue.next !== undefined) return true;
  const hasEndedWell = turn.status === 'idle' && turn.stopReason === 'end_turn';
  return hasEndedWell && queue.messages.length > 0 && !queue.paused;
}
