import { Lazy } from '../../../base/lazy';
import type { Disposable } from '../../../base/lifecycle';
import type { ContentIntent } from '../../../shared/protocol/chatPageProtocol';
import type { IntentSource } from '../intents/queueIntents';
import type { EntryDeps } from './contentRoom';

/** User actions on code blocks, media and file references. */
export interface ContentActions extends Disposable {
  handle(from: IntentSource, intent: ContentIntent): Promise<void>;
}

/** Creates the actions; most code is loaded with the first one. */
export function createContentActions(deps: EntryDeps): ContentActions {
  const room = new Lazy(async () => new (await import('./contentRoom')).EntryRoom(deps));
  return {
    handle: async (from, intent) => {
      try {
        await (await room.load()).handle(from, intent);
      } catch (error) {
        // The page waits for an answer; after this one it asks again in the next turn.
        if (intent.type === 'findPlaces') from.page.tell({ type: 'places', asked: intent.texts, found: [] });
        throw error;
      }
    },
    dispose: () => room.dispose(),
  };
}
