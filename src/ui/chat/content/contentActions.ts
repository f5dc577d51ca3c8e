import { assertNever } from '../../../base/assert';
import { Lazy } from '../../../base/lazy';
import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';
import { toFenced } from '../../../base/text';
import type { Session } from '../../../session/session';
import { isInFolders } from '../../../session/sessionFolder';
import type { ContentIntent } from '../../../shared/protocol/chatPageProtocol';
import type { ShowNotice } from '../../../workbench/notice';
import { ReadOnlyDocuments } from '../../../workbench/virtualDocuments';
import type { WorkspaceFileIndex } from '../../attachments/workspaceFileIndex';
import type { IntentSource, Review } from '../../window';
import { DIAGRAM_SCHEME } from '../diagramSupport';

/** User actions on code blocks, media and file references. Most code is loaded with the first one. */
export class ContentActions implements Disposable {
  readonly #store = new DisposableStore();
  readonly #proposals = this.#store.add(new ReadOnlyDocuments('parley-proposal'));
  readonly #data = this.#store.add(new Lazy(async () => new (await import('./embeddedData')).EmbeddedData()));

  constructor(
    private readonly paths: WorkspaceFileIndex,
    private readonly review: Review,
    private readonly showNotice: ShowNotice,
  ) {
    // The text of a diagram is in its URI: it lasts as long as the tab, without memory here.
    this.#store.add(new ReadOnlyDocuments(DIAGRAM_SCHEME, ({ query }) => toFenced(query, 'mermaid')));
  }

  async handle(from: IntentSource, intent: ContentIntent): Promise<void> {
    const { session } = from;
    const showNotice: ShowNotice = (notice) => this.showNotice(notice, session.id);
    switch (intent.type) {
      case 'findPlaces':
        return this.#findPlaces(from, intent.texts);
      case 'insertCode':
        return (await import('./insertCode')).insertCode(intent.code, showNotice);
      case 'applyCode': {
        const { CodeApplier } = await import('./applyCode');
        return new CodeApplier(this.#proposals, this.review, showNotice).apply(session, intent);
      }
      case 'openCode':
        return (await import('./insertCode')).openCode(intent.code, intent.info);
      case 'showDiagram':
        return (await import('./showDiagram')).showDiagram(intent.code);
      case 'openData':
        return (await this.#data.load()).open(intent.data, intent.mimeType);
      case 'saveData':
        return (await this.#data.load()).save(intent.data, intent.mimeType, session.folders[0], showNotice);
      default:
        return assertNever(intent);
    }
  }

  async showLastDiagram({ state }: Session): Promise<void> {
    await (await import('./showDiagram')).showLastDiagram(state);
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** The page waits for an answer, also after an error; it asks again in the next turn. */
  async #findPlaces({ session, page }: IntentSource, texts: readonly string[]): Promise<void> {
    try {
      const { resolveFileReferences } = await import('./resolveFileReferences');
      const { cwd, folders } = session;
      const from = isInFolders(cwd, folders) ? [cwd, ...folders] : folders;
      const found = await resolveFileReferences(texts, from, () => this.paths.index());
      page.post({ type: 'places', asked: texts, found });
    } catch (error) {
      page.post({ type: 'places', asked: texts, found: [] });
      throw error;
    }
  }
}
