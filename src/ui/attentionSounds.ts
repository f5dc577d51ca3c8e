import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Sound } from '../shared/protocol/chatPageProtocol';
import type { SessionState } from '../shared/state/sessionState';
import type { UiSession, UiSessions } from './uiTypes';

export interface SoundsOptions {
  readonly sessions: UiSessions;
  /** `parley.sound` */
  enabled(): boolean;
  /** Whether this window has the focus. */
  focused(): boolean;
  play(sound: Sound): void;
}

/** Plays a sound when a request starts to wait, and another one when a turn has ended. */
export class AttentionSounds implements Disposable {
  readonly #options: SoundsOptions;
  readonly #store = new DisposableStore();
  readonly #running = new WeakSet<UiSession>();

  constructor(options: SoundsOptions) {
    this.#options = options;
    const { sessions } = options;
    this.#store.add(sessions.onDidAsk(() => this.#play('waiting')));
    this.#store.add(sessions.onDidChange((session) => this.#changed(session)));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #changed(session: UiSession): void {
    const running = session.state.turn.status === 'running';
    if (running) this.#running.add(session);
    else if (this.#running.delete(session) && !goesOn(session.state)) this.#play('finished');
  }

  #play(sound: Sound): void {
    if (this.#options.enabled() && !this.#options.focused()) this.#options.play(sound);
  }
}

/** A queued message is sent next, so nothing has finished. */
function goesOn({ queue, turn }: SessionState): boolean {
  if (queue.next !== undefined) return true;
  const endedWell = turn.status === 'idle' && turn.stopReason === 'end_turn';
  return endedWell && queue.messages.length > 0 && !queue.paused;
}
