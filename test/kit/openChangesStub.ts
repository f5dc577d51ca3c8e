import { Emitter } from '../../src/base/event';
import type { ChangedLines, OpenChanges } from '../../src/session/sessionCatalog';

/** A review in which sessions have lines as a test sets them. */
export class OpenChangesStub implements OpenChanges {
  readonly #lines = new Map<string, ChangedLines>();
  readonly #onDidChange = new Emitter<void>();

  readonly onDidChange = this.#onDidChange.event;

  lineCounts(): ReadonlyMap<string, ChangedLines> {
    return this.#lines;
  }

  set(session: string, lines: ChangedLines | undefined): void {
    if (lines) this.#lines.set(session, lines);
    else this.#lines.delete(session);
    this.#onDidChange.fire();
  }
}
