import { assertNever } from '../../base/assert';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { FileRestoreOutcome } from '../../session/turn/editAndResend';
import type { ReviewIntent } from '../../shared/protocol/chatPageProtocol';
import type { ChangeReview } from '../changeReview';
import type { ReviewService } from '../reviewService';
import type { ReviewSession } from '../tracking/agentTurns';
import { BaselineFiles } from './baselineFiles';
import { commentFor } from './commentToAgent';
import { ReviewContextKeys } from './reviewContextKeys';
import { openChange, reviewChanges } from './openReviewDiff';
import { ReviewCodeLenses } from './reviewCodeLenses';
import { ReviewDecorations } from './reviewDecorations';
import { RestoreCheckpoint } from './restoreCheckpoint';
import { ReviewCommands, pathOf } from './reviewCommands';

export interface ReviewEditor extends Disposable {
  readonly commands: ReturnType<typeof commandsOf>;
  /**
   * Restores files to the state before a message that is sent again. Never rejects.
   * @param entry index of the message
   */
  filesBefore(session: ReviewSession, entry: number): Promise<FileRestoreOutcome>;
  handle(session: ReviewSession, intent: ReviewIntent): Promise<void>;
}

/**
 * Creates decorations, code lenses, diffs and commands of the review.
 * @param insertText inserts text into the message box of the active session's chat
 */
export function registerReviewEditor(
  { review, checkpoints }: Pick<ReviewService, 'review' | 'checkpoints'>,
  sessions: { readonly active: ReviewSession },
  settings: {
    get(key: 'review.enabled' | 'checkpoints.enabled'): boolean;
    readonly onDidChange: Event<void>;
  },
  insertText: (text: string) => Promise<void>,
): ReviewEditor {
  const marked = (): boolean => settings.get('review.enabled');
  const store = new DisposableStore();
  const steps = new ReviewCommands(review);
  const restore = new RestoreCheckpoint(checkpoints, () => settings.get('checkpoints.enabled'));
  const marks = store.add(new ReviewDecorations(review, marked));
  const lenses = store.add(new ReviewCodeLenses(review, marked));
  store.add(new BaselineFiles(review));
  store.add(new ReviewContextKeys(review));
  for (const drawn of [marks, lenses]) store.add(settings.onDidChange(() => drawn.refresh()));
  return {
    commands: commandsOf({ review, steps, restore }, sessions, insertText),
    filesBefore: (session, entry) => restore.before(session, entry),
    handle: (session, intent) => carryOut({ review, steps, restore }, session, intent),
    dispose: () => store.dispose(),
  };
}

interface Parts {
  readonly review: ChangeReview;
  readonly steps: ReviewCommands;
  readonly restore: RestoreCheckpoint;
}

/** `target` comes from a code lens or menu. */
function commandsOf(
  { review, steps, restore }: Parts,
  sessions: { readonly active: ReviewSession },
  insertText: (text: string) => Promise<void>,
) {
  return {
    reviewChanges: () => reviewChanges(review),
    keepAllChanges: () => steps.all('keep'),
    undoAllChanges: () => steps.all('undo'),
    keepHunk: (target?: unknown) => steps.hunk('keep', target),
    undoHunk: (target?: unknown) => steps.hunk('undo', target),
    keepFile: (target?: unknown) => steps.file('keep', target),
    undoFile: (target?: unknown) => steps.file('undo', target),
    openChange: (target?: unknown) => openChange(review, pathOf(target)),
    nextChange: () => steps.goTo('next'),
    previousChange: () => steps.goTo('previous'),
    undoLastReview: () => steps.undoLast(),
    commentToAgent: async (target?: unknown) => {
      const note = commentFor(review, target, sessions.active.folders);
      if (note !== undefined) await insertText(note);
    },
    restoreCheckpoint: () => restore.choose(sessions.active),
  } as const;
}

function reviewTurn(review: ChangeReview, session: ReviewSession, entry: number): Promise<void> {
  const files = session.state.turns.findLast((turn) => turn.entry === entry)?.files ?? [];
  return reviewChanges(review, session.id, new Set(files.map(({ path }) => path)));
}

function carryOut({ review, steps, restore }: Parts, session: ReviewSession, intent: ReviewIntent): Promise<void> {
  switch (intent.type) {
    case 'reviewChanges':
      return reviewChanges(review, session.id);
    case 'reviewTurn':
      return reviewTurn(review, session, intent.entry);
    case 'keepAll':
      return steps.all('keep', session.id);
    case 'undoAll':
      return steps.all('undo', session.id);
    case 'keepFile':
      return steps.file('keep', intent.path);
    case 'undoFile':
      return steps.file('undo', intent.path);
    case 'openChange':
      return openChange(review, intent.path);
    case 'keepDiff':
      return steps.edit('keep', session.diff(intent.diffId));
    case 'undoDiff':
      return steps.edit('undo', session.diff(intent.diffId));
    case 'restoreCheckpoint':
      return restore.restore(session, intent.entry);
    case 'undoRestore':
      return restore.undo(session, intent.undoId);
    default:
      return assertNever(intent);
  }
}
