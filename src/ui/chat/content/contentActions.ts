import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';
import type { ContentIntent } from '../../../shared/protocol/chatPageProtocol';
import type { IntentSource } from '../intents/queueIntents';
import type { EntryDeps, EntryRoom } from './contentRoom';

/** User actions on code blocks, media and file references. */
export interface ContentActions extends Disposable {
  handle(from: IntentSource, intent: ContentIntent): Promise<void>;
}

/** Creates the actions; most code is loaded with the first one. */
export function createContentActions(deps: EntryDeps): ContentActions {
  const store = new DisposableStore();
  let room: Promise<EntryRoom> | undefined;
  const load = async (): Promise<EntryRoom> => {
    const { EntryRoom } = await import('./contentRoom');
    return store.add(new EntryRoom(deps));
  };
  const handle: ContentActions['handle'] = async (from, intent) => {
    // A failed load is retried.
    room ??= load().catch((error: unknown) => {
      room = undefined;
      throw error;
    });
    await (await room).handle(from, intent);
  };
  return {
    handle: async (from, intent) => {
      try {
        await handle(from, intent);
      } catch (error) {
        // The page waits for an answer; after this one it asks again in the next turn.
        if (intent.type === 'findPlaces') from.page.tell({ type: 'places', asked: intent.texts, found: [] });
        throw error;
      }
    },
    dispose: () => store.dispose(),
  };
}
