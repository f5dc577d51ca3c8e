import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { SessionSearch } from '../../history/search/sessionSearch';
import { SessionExport } from './sessionExport';
import type { SessionHistoryDeps } from './sessionHistoryDeps';
import { SessionSearchPicker } from './sessionSearchPicker';

export class SessionHistory implements Disposable {
  readonly #deps: SessionHistoryDeps;
  readonly #search: SessionSearch;
  readonly #store = new DisposableStore();

  readonly exporting: SessionExport;

  constructor(deps: SessionHistoryDeps) {
    this.#deps = deps;
    const { catalog, sessions, log } = deps;
    this.#search = new SessionSearch({
      items: () => catalog.items(),
      open: (id) => sessions.get(id)?.state,
      folder: sessions.shelf.folder,
      log,
    });
    this.exporting = this.#store.add(new SessionExport(deps));
  }

  /** @param target initial search text */
  async search(target: unknown): Promise<void> {
    const box = new SessionSearchPicker({ deps: this.#deps, search: this.#search });
    await box.show(typeof target === 'string' ? target : '');
  }

  dispose(): void {
    this.#store.dispose();
  }
}
