import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { SessionSearch } from '../../history/search/sessionSearch';
import { Exporting } from './sessionExport';
import type { HistoryDeps } from './sessionHistoryDeps';
import { SearchBox } from './sessionSearchPicker';

/** Searching in sessions, exporting and importing them. */
export class HistoryRoom implements Disposable {
  readonly #deps: HistoryDeps;
  readonly #search: SessionSearch;
  readonly #store = new DisposableStore();

  readonly exporting: Exporting;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
    const { catalog, sessions, log } = deps;
    this.#search = new SessionSearch({
      items: () => catalog.items(),
      open: (id) => sessions.get(id)?.state,
      folder: sessions.shelf.folder,
      log,
    });
    this.exporting = this.#store.add(new Exporting(deps));
  }

  /** @param target a text to begin with */
  async search(target: unknown): Promise<void> {
    const box = new SearchBox({ deps: this.#deps, search: this.#search });
    await box.show(typeof target === 'string' ? target : '');
  }

  dispose(): void {
    this.#store.dispose();
  }
}
