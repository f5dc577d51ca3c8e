import type { Event } from '../../../base/event';
import { Emitter } from '../../../base/event';
import type { Disposable } from '../../../base/lifecycle';
import { toDisposable } from '../../../base/lifecycle';

/** The documents of one server that somebody wants to hear of, whoever and how many they are. */
export class ResourceWatchers implements Disposable {
  readonly #counts = new Map<string, number>();
  readonly #changed = new Emitter<void>();

  /** Another set of documents is wanted. */
  readonly onDidChange: Event<void> = this.#changed.event;

  /** Their addresses. */
  get uris(): readonly string[] {
    return [...this.#counts.keys()];
  }

  /** Wants to hear of a document until the result is disposed. */
  add(uri: string): Disposable {
    const before = this.#counts.get(uri) ?? 0;
    this.#counts.set(uri, before + 1);
    if (before === 0) this.#changed.fire();
    return toDisposable(() => {
      const left = (this.#counts.get(uri) ?? 1) - 1;
      if (left > 0) this.#counts.set(uri, left);
      else if (this.#counts.delete(uri)) this.#changed.fire();
    });
  }

  dispose(): void {
    this.#counts.clear();
    this.#changed.dispose();
  }
}
