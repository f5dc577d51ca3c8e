import { assertNever } from '../../base/assert';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { FileRestoreOutcome } from '../../session/turn/editAndResend';
import type { ReviewIntent } from '../../shared/protocol/chatPageProtocol';
import type { ChangeReview } from '../changeReview';
import type { WorkspaceCheckpoints } from '../checkpoints/workspaceCheckpoints';
import type { ReviewSession } from '../tracking/agentTurns';
import { BaselineFiles } from './baselineFiles';
import { commentFor } from './commentToAgent';
import { ReviewContextKeys } from './reviewContextKeys';
import { openChange, reviewChanges } from './openReviewDiff';
import { goToChange } from './goToHunk';
import { ReviewCodeLenses } from './reviewCodeLenses';
import { ReviewDecorations } from './reviewDecorations';
import { RestoreCheckpoint } from './restoreCheckpoint';
import { ReviewCommands, pathOf } from './reviewCommands';

export interface ReviewEditorDeps {
  readonly engine: { readonly review: ChangeReview; readonly checkpoints: WorkspaceCheckpoints };
  readonly sessions: { readonly active: ReviewSession };
  readonly settings: {
    get(key: 'review.enabled' | 'checkpoints.enabled'): boolean;
    readonly onDidChange: Event<void>;
  };
  /** Inserts text into the message box of the active session's chat. */
  insertText(text: string): Promise<void>;
}

/** `target` comes from a code lens or menu. */
type ReviewCommand = (target?: unknown) => Promise<void>;

export interface ReviewEditor extends Disposable {
  readonly commands: Readonly<
    Record<
      | 'reviewChanges'
      | 'keepAllChanges'
      | 'undoAllChanges'
      | 'keepHunk'
      | 'undoHunk'
      | 'keepFile'
      | 'undoFile'
      | 'openChange'
      | 'nextChange'
      | 'previousChange'
      | 'undoLastReview'
      | 'commentToAgent'
      | 'restoreCheckpoint',
      ReviewCommand
    >
  >;
  /**
   * Restores files to the state before a message that is sent again. Never rejects.
   * @param entry index of the message
   */
  filesBefore(session: ReviewSession, entry: number): Promise<FileRestoreOutcome>;
  handle(session: ReviewSession, intent: ReviewIntent): Promise<void>;
}

/** Creates decorations, code lenses, diffs and commands of the review. */
export function registerReviewEditor(deps: ReviewEditorDeps): ReviewEditor {
  const { sessions, settings } = deps;
  const { review, checkpoints } = deps.engine;
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
    commands: {
      reviewChanges: () => reviewChanges(review),
      keepAllChanges: () => steps.all('keep'),
      undoAllChanges: () => steps.all('undo'),
      keepHunk: (target) => steps.hunk('keep', target),
      undoHunk: (target) => steps.hunk('undo', target),
      keepFile: (target) => steps.file('keep', target),
      undoFile: (target) => steps.file('undo', target),
      openChange: (target) => openChange(review, pathOf(target)),
      nextChange: () => goToChange(review, 'next'),
      previousChange: () => goToChange(review, 'previous'),
      undoLastReview: () => steps.undoLast(),
      commentToAgent: async (target) => {
        const note = commentFor(review, target, sessions.active.folders);
        if (note !== undefined) await deps.insertText(note);
      },
      restoreCheckpoint: () => restore.choose(sessions.active),
    },
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
