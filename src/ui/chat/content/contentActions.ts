import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';
import type { ContentIntent } from '../../../shared/protocol/chatPageProtocol';
import type { IntentSource } from '../intents/queueIntents';
import type { EntryDeps, EntryRoom } from './contentRoom';

/** Code blocks, pictures and places in texts: what the user does with them. */
export interface ContentActions extends Disposable {
  handle(from: IntentSource, intent: ContentIntent): Promise<void>;
}

/** Builds it; most of it is read when the first intent comes. */
export function createContentActions(deps: EntryDeps): ContentActions {
  const store = new DisposableStore();
  let room: Promise<EntryRoom> | undefined;
  const load = async (): Promise<EntryRoom> => {
    const { EntryRoom } = await import('./contentRoom');
    return store.add(new EntryRoom(deps));
  };
  const handle: ContentActions['handle'] = async (from, intent) => {
    // What could not be read once may be there the next time.
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
        // The page waits for an answer; with this one it asks again after the next turn.
        if (intent.type === 'findPlaces') from.page.tell({ type: 'places', asked: intent.texts, found: [] });
        throw error;
      }
    },
    dispose: () => store.dispose(),
  };
}
