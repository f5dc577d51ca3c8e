import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { ReviewService } from '../reviewService';
import type { ReviewSession } from '../tracking/agentTurns';
import { BaselineFiles } from './baselineFiles';
import { BaselineLines } from './baselineLines';
import { MultiFileReview } from './openReviewDiff';
import { ReviewContextKeys } from './reviewContextKeys';
import { ReviewCodeLenses } from './reviewCodeLenses';
import { ReviewDecorations } from './reviewDecorations';
import { RestoreCheckpoint } from './restoreCheckpoint';
import type { ReviewChat } from './reviewCommands';
import { ReviewCommands } from './reviewCommands';

/** Creates decorations, code lenses, diffs and commands of the review. */
export function registerReviewEditor(
  { review, checkpoints }: Pick<ReviewService, 'review' | 'checkpoints'>,
  sessions: { readonly active: ReviewSession },
  settings: {
    get(key: 'review.enabled' | 'checkpoints.enabled'): boolean;
    readonly onDidChange: Event<void>;
  },
  chat: ReviewChat,
): ReviewCommands & Disposable {
  const marked = (): boolean => settings.get('review.enabled');
  const store = new DisposableStore();
  const restore = new RestoreCheckpoint(checkpoints, () => settings.get('checkpoints.enabled'), chat.showNotice);
  const base = new BaselineLines(review);
  const marks = store.add(new ReviewDecorations(review, base, marked));
  const lenses = store.add(new ReviewCodeLenses(review, base, marked));
  const multiFile = store.add(new MultiFileReview(review));
  store.add(new BaselineFiles(review));
  store.add(new ReviewContextKeys(review));
  for (const drawn of [marks, lenses]) store.add(settings.onDidChange(() => drawn.refresh()));
  const commands = new ReviewCommands(review, multiFile, restore, sessions, chat);
  return Object.assign(commands, { dispose: () => store.dispose() });
}
