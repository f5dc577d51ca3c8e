import { assertNever } from '../../../base/assert';
import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';
import type { ContentIntent } from '../../../shared/protocol/chatPageProtocol';
import type { WorkspaceFileIndex } from '../../attachments/workspaceFileIndex';
import type { IntentSource } from '../intents/queueIntents';
import { applyCode } from './applyCode';
import { ReadOnlyDocuments } from '../../../workbench/virtualDocuments';
import { EmbeddedData } from './embeddedData';
import { insertCode, openCode } from './insertCode';
import { resolveFileReferences } from './resolveFileReferences';

export interface EntryDeps {
  readonly paths: Pick<WorkspaceFileIndex, 'index'>;
  /**
   * Writes a file so that the change is under review in the session.
   * @param path absolute
   */
  edit<T>(sessionId: string, path: string, write: () => Promise<T>): Promise<T>;
}

/** Handles user actions on entry content. Loaded lazily as a chunk of its own. */
export class EntryRoom implements Disposable {
  readonly #deps: EntryDeps;
  readonly #store = new DisposableStore();
  readonly #proposals = this.#store.add(new ReadOnlyDocuments('parley-proposal'));
  readonly #data = this.#store.add(new EmbeddedData());

  constructor(deps: EntryDeps) {
    this.#deps = deps;
  }

  async handle(from: IntentSource, intent: ContentIntent): Promise<void> {
    const { session } = from;
    switch (intent.type) {
      case 'findPlaces':
        return this.#findPlaces(from, intent.texts);
      case 'insertCode':
        return insertCode(intent.code);
      case 'applyCode':
        return applyCode(session, intent.code, intent.info, { ...this.#deps, proposals: this.#proposals });
      case 'openCode':
        return openCode(intent.code, intent.info);
      case 'openData':
        return this.#data.open(intent.data, intent.mimeType);
      case 'saveData':
        return this.#data.save(intent.data, intent.mimeType, session.folders[0]);
      default:
        return assertNever(intent);
    }
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #findPlaces({ session, page }: IntentSource, texts: readonly string[]): Promise<void> {
    const found = await resolveFileReferences(texts, session.folders, () => this.#deps.paths.index());
    page.tell({ type: 'places', asked: texts, found });
  }
}
