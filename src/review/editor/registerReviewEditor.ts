import type { Event } from '../../base/event';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { Memento } from '../../base/memento';
import { AgentComments } from '../comments/agentComments';
import { CommentCodeLenses } from '../comments/commentCodeLenses';
import { commentPlace } from '../comments/commentPlace';
import type { WorkspaceCheckpoints } from '../checkpoints/workspaceCheckpoints';
import type { ReviewService } from '../reviewService';
import { BaselineFiles } from './baselineFiles';
import { BaselineLines } from './baselineLines';
import { MultiFileReview } from './openReviewDiff';
import { ReviewContextKeys } from './reviewContextKeys';
import { ReviewCodeLenses } from './reviewCodeLenses';
import { ReviewDecorations } from './reviewDecorations';
import type { ReviewChat, ReviewSessions } from './reviewCommands';
import { ReviewCommands } from './reviewCommands';
import type { RestoreCheckpoint } from './restoreCheckpoint';

type ReviewEditor = ReviewCommands &
  Disposable & {
    readonly comments: AgentComments;
    readonly baselines: BaselineFiles;
    readonly checkpointed: WorkspaceCheckpoints['around'];
  };

/**
 * Creates decorations, code lenses, diffs, comments and commands of the review.
 * @param memory keeps unsent comments; undefined where other windows use the same
 */
export function registerReviewEditor(
  { review, checkpoints }: Pick<ReviewService, 'review' | 'checkpoints'>,
  sessions: ReviewSessions & { readonly active: Pick<Session, 'cwd'> },
  settings: {
    get(key: 'review.enabled' | 'checkpoints.enabled'): boolean;
    readonly onDidChange: Event<void>;
  },
  chat: ReviewChat,
  memory: Memento | undefined,
): ReviewEditor {
  const marked = (): boolean => settings.get('review.enabled');
  const store = new DisposableStore();
  const restore = new Lazy(async () => {
    const { RestoreCheckpoint } = await import('./restoreCheckpoint');
    return new RestoreCheckpoint(checkpoints, () => settings.get('checkpoints.enabled'), chat.showNotice);
  });
  void offerInterrupted(checkpoints, restore);
  const base = new BaselineLines(review);
  const marks = store.add(new ReviewDecorations(review, base, marked));
  const lenses = store.add(new ReviewCodeLenses(review, base, marked));
  const multiFile = store.add(new MultiFileReview(review));
  const baselines = store.add(new BaselineFiles(review));
  store.add(new ReviewContextKeys(review, multiFile));
  for (const drawn of [marks, lenses]) store.add(settings.onDidChange(() => drawn.refresh()));
  const commands = new ReviewCommands(review, multiFile, restore, sessions, chat);
  const comments = store.add(
    new AgentComments({
      place: (target) => commentPlace(review, target),
      chat,
      cwd: () => sessions.active.cwd,
      memory,
    }),
  );
  store.add(new CommentCodeLenses(comments));
  const checkpointed: WorkspaceCheckpoints['around'] = (id, change) =>
    settings.get('checkpoints.enabled') ? checkpoints.around(id, change) : change().then(() => undefined);
  return Object.assign(commands, { comments, baselines, checkpointed, dispose: () => store.dispose() });
}

async function offerInterrupted(checkpoints: WorkspaceCheckpoints, restore: Lazy<RestoreCheckpoint>): Promise<void> {
  const interrupted = await checkpoints.interrupted();
  if (interrupted.length > 0) (await restore.load()).showInterrupted(interrupted);
}
