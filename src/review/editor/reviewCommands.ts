import * as vscode from 'vscode';
import { assertNever } from '../../base/assert';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { openDocument } from '../tracking/workingFiles';
import { readPlainFile } from '../../node/fs/overwriteFile';
import type { FileRestoreOutcome } from '../../session/turn/editAndResend';
import type { ReviewIntent } from '../../shared/protocol/chatPageProtocol';
import type { ChangeReview } from '../changeReview';
import type { ReviewSession } from '../tracking/agentTurns';
import type { ReviewedFile, ReviewResult } from '../tracking/modifiedFiles';
import { decodeBase, reviewedPath } from './baselineFiles';
import type { Direction, EditTexts } from './hunks';
import { hunkAt, hunkLine, hunksOfEdit, nextReviewStop, normalizedLines } from './hunks';
import { commentFor } from './commentToAgent';
import type { MultiFileReview } from './openReviewDiff';
import { openChange } from './openReviewDiff';
import type { RestoreCheckpoint } from './restoreCheckpoint';
import type { HunkTarget } from './reviewCodeLenses';
import { files, offerUndo, showMessage, showProblems } from './reviewMessages';

/** Bytes; larger files have no hunks. */
const MAX_SHOWN = 10 * 1024 * 1024;

type Step = 'keep' | 'undo';

const NOTHING_BACK = t('There is no Keep or Undo to take back.');

/** An edit in the transcript, as the agent reported it. */
interface TranscriptEdit extends EditTexts {
  readonly path: string;
}

/** Keep and Undo commands, from code lenses, keys, menus and the chat. */
export class ReviewCommands {
  readonly #review: ChangeReview;
  readonly #multiFile: MultiFileReview;
  readonly #restore: RestoreCheckpoint;

  readonly #sessions: { readonly active: ReviewSession };
  readonly #insertText: (text: string) => Promise<void>;

  /** By their names in `src/commands.ts`; `target` comes from a code lens or menu. */
  readonly commands = {
    reviewChanges: () => this.#multiFile.open(),
    keepAllChanges: () => this.#all('keep'),
    undoAllChanges: () => this.#all('undo'),
    keepHunk: (target?: unknown) => this.#hunk('keep', target),
    undoHunk: (target?: unknown) => this.#hunk('undo', target),
    keepFile: (target?: unknown) => this.#file('keep', target),
    undoFile: (target?: unknown) => this.#file('undo', target),
    openChange: (target?: unknown) => openChange(this.#review, pathOf(target)),
    nextChange: () => this.#goTo('next'),
    previousChange: () => this.#goTo('previous'),
    undoLastReview: () => this.#undoLast(),
    commentToAgent: async (target?: unknown) => {
      const note = commentFor(this.#review, target, this.#sessions.active.folders);
      if (note !== undefined) await this.#insertText(note);
    },
    restoreCheckpoint: () => this.#restore.choose(this.#sessions.active),
  } as const;

  /** @param insertText inserts text into the message box of the active session's chat */
  constructor(
    review: ChangeReview,
    multiFile: MultiFileReview,
    restore: RestoreCheckpoint,
    sessions: { readonly active: ReviewSession },
    insertText: (text: string) => Promise<void>,
  ) {
    this.#review = review;
    this.#multiFile = multiFile;
    this.#restore = restore;
    this.#sessions = sessions;
    this.#insertText = insertText;
  }

  /**
   * Restores files to the state before a message that is sent again. Never rejects.
   * @param entry index of the message
   */
  filesBefore(session: ReviewSession, entry: number): Promise<FileRestoreOutcome> {
    return this.#restore.before(session, entry);
  }

  handle(session: ReviewSession, intent: ReviewIntent): Promise<void> {
    switch (intent.type) {
      case 'reviewChanges':
        return this.#multiFile.open(session.id);
      case 'reviewTurn':
        return this.#reviewTurn(session, intent.entry);
      case 'keepAll':
        return this.#all('keep', session.id);
      case 'undoAll':
        return this.#all('undo', session.id);
      case 'keepFile':
        return this.#file('keep', intent.path);
      case 'undoFile':
        return this.#file('undo', intent.path);
      case 'openChange':
        return openChange(this.#review, intent.path);
      case 'keepDiff':
        return this.#edit('keep', session.diff(intent.diffId));
      case 'undoDiff':
        return this.#edit('undo', session.diff(intent.diffId));
      case 'restoreCheckpoint':
        return this.#restore.restore(session, intent.entry);
      case 'undoRestore':
        return this.#restore.undo(session, intent.undoId);
      default:
        return assertNever(intent);
    }
  }

  #reviewTurn(session: ReviewSession, entry: number): Promise<void> {
    const files = session.state.turns.findLast((turn) => turn.entry === entry)?.files ?? [];
    return this.#multiFile.open(session.id, new Set(files.map(({ path }) => path)));
  }

  /** @param target of a code lens; without, the change at the cursor */
  async #hunk(step: Step, target?: unknown): Promise<void> {
    const found = isHunkTarget(target) ? target : this.#atCursor();
    if (!found) return showMessage(t('There is no change of the agent at the cursor. Next Change leads to one.'));
    const { path, hunkId } = found;
    showProblems(await this.#applyToHunk(step, path, hunkId));
  }

  /** @param target a path, a resource or a code lens argument; without, the active editor's file */
  async #file(step: Step, target?: unknown): Promise<void> {
    const path = pathOf(target);
    if (path === undefined || !this.#review.file(path)) return showMessage(t('This file has no changes to review.'));
    showProblems(await (step === 'keep' ? this.#review.keepFile(path) : this.#review.undoFile(path)));
  }

  /** @param sessionId limits to changes of this session's agent */
  async #all(step: Step, sessionId?: string): Promise<void> {
    const count = this.#review.files(sessionId).length;
    if (count === 0) return showMessage(t('There are no changes to review.'));
    if (step === 'keep') return showProblems(await this.#review.keepAll(sessionId));
    const result = await this.#review.undoAll(sessionId);
    showProblems(result);
    const { step: number } = result;
    if (result.done.length === 0 || number === undefined) return;
    // Not awaited: the notification may stay for long, and belongs to this step only.
    void offerUndo(
      t("The agent's changes to {0} were undone.", files(result.done.length)),
      t('Bring Back'),
      async () => {
        const back = await this.#review.undoStep(number);
        if (back) showProblems(back);
        else showMessage(NOTHING_BACK);
      },
    );
  }

  /** Applies to the changes that remain of an edit in the chat. */
  async #edit(step: Step, edit: TranscriptEdit | undefined): Promise<void> {
    const file = edit && this.#review.file(edit.path);
    if (!edit || !file) return showMessage(t('Nothing of this edit is left to review.'));
    if (file.hunks.length <= 1) return this.#file(step, edit.path);
    const hunks = hunksOfEdit(edit, file.hunks, await this.#lines(file));
    if (hunks.length === 0) return showMessage(t('Nothing of this edit is left to review.'));
    if (hunks.length === file.hunks.length) return this.#file(step, edit.path);
    const results: ReviewResult[] = [];
    // Sequential: each step moves later lines.
    for (const { id } of hunks) results.push(await this.#applyToHunk(step, file.path, id));
    showProblems({ done: [], problems: results.flatMap(({ problems }) => problems) });
  }

  /** Brings the cursor to the next or previous change of the agent, also in another file; round from the last to the first. */
  async #goTo(direction: Direction): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const path = editor && reviewedPath(editor.document.uri);
    const cursor = path === undefined ? undefined : { path, line: editor?.selection.active.line ?? 0 };
    const stop = nextReviewStop(this.#review.files(), cursor, direction);
    if (!stop) return showMessage(t('There are no changes to review.'));
    const { file, hunk } = stop;
    // What has no lines to go to, a deleted file or a picture, is shown beside what it was.
    if (!hunk) return openChange(this.#review, file.path);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file.path));
    const at = new vscode.Position(hunkLine(hunk, document.lineCount), 0);
    const shown = await vscode.window.showTextDocument(document, {
      preview: true,
      selection: new vscode.Range(at, at),
    });
    shown.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  async #undoLast(): Promise<void> {
    if (!this.#review.canUndoLast) return showMessage(NOTHING_BACK);
    showProblems(await this.#review.undoLast());
  }

  #applyToHunk(step: Step, path: string, id: string): Promise<ReviewResult> {
    return step === 'keep' ? this.#review.keepHunk(path, id) : this.#review.undoHunk(path, id);
  }

  #atCursor(): HunkTarget | undefined {
    const editor = vscode.window.activeTextEditor;
    const file = editor && this.#review.file(reviewedPath(editor.document.uri) ?? '');
    const hunk = file && hunkAt(file.hunks, editor.selection.active.line);
    return hunk && { path: file.path, hunkId: hunk.id };
  }

  async #lines({ path }: ReviewedFile): Promise<{ before: readonly string[]; after: readonly string[] }> {
    const open = openDocument(path);
    const decoded = async (bytes: Uint8Array): Promise<readonly string[]> =>
      normalizedLines(await decodeBase(path, bytes));
    const base = this.#review.baseBytes(path);
    const now = open
      ? normalizedLines(open.getText())
      : await readPlainFile(path, MAX_SHOWN).then((bytes) => (bytes ? decoded(bytes) : []));
    return { before: base ? await decoded(base) : [], after: now };
  }
}

/** The path in a command's argument, else the active editor's file. */
function pathOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (target instanceof vscode.Uri) return reviewedPath(target);
  if (isObject(target) && typeof target['path'] === 'string') return target['path'];
  const { activeTextEditor } = vscode.window;
  return activeTextEditor && reviewedPath(activeTextEditor.document.uri);
}

function isHunkTarget(target: unknown): target is HunkTarget {
  return isObject(target) && typeof target['path'] === 'string' && typeof target['hunkId'] === 'string';
}
