import * as vscode from 'vscode';
import { assertNever } from '../../base/assert';
import { asObject, asString, isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Lazy } from '../../base/lazy';
import { readPlainFile } from '../../node/fs/overwriteFile';
import type { FileRestoreOutcome } from '../../session/commands/editAndResend';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { ReviewIntent } from '../../shared/protocol/chatPageProtocol';
import type { ShowNotice } from '../../workbench/notice';
import { closeFileTabs, findOpenDocument } from '../../workbench/textDocuments';
import type { ChangeReview } from '../changeReview';
import type { ReviewedFile, ReviewProblem, ReviewResult } from '../tracking/modifiedFiles';
import type { ReviewScopes } from '../tracking/reviewScope';
import { decodeBase, reviewedPath } from './baselineFiles';
import type { HunkTarget } from './hunkLenses';
import type { ReviewDirection, EditTexts, ReviewCursor } from './hunkNavigation';
import { hunkAt, hunksOfEdit, normalizedLines } from './hunkNavigation';
import type { MultiFileReview, ShownChanges } from './openReviewDiff';
import { openChange } from './openReviewDiff';
import type { RestoreCheckpoint } from './restoreCheckpoint';
import type { SharedFiles } from './reviewMessages';
import {
  fileCount,
  problemNotice,
  problemTexts,
  sessionTitles,
  sharedFiles,
  sharedTexts,
  toWarning,
  undoDoubts,
  undoneText,
} from './reviewMessages';
import { ReviewNavigation } from './reviewNavigation';

/** Bytes; larger files have no hunks. */
const MAX_SHOWN = 10 * 1024 * 1024;

type Step = 'keep' | 'undo';

const NOTHING_BACK = t('There is no review action to undo.');
const NO_CHANGES = t('There are no changes to review.');
const NO_CHANGES_IN_FILE = t('This file has no changes to review.');
const ALREADY_REVIEWED = t('This edit has already been reviewed.');

/** An edit in the transcript, as the agent reported it. */
interface TranscriptEdit extends EditTexts {
  readonly path: string;
}

/** The chat, as far as the review uses it. */
export interface ReviewChat {
  /** Sends a message to the active session's agent; without an agent, or with a draft, it goes into the message box. */
  readonly compose: (text: string) => Promise<void>;
  readonly showNotice: ShowNotice;
}

/** Keep and Undo commands, from code lenses, keys, menus and the chat. */
export class ReviewCommands {
  readonly #navigation: ReviewNavigation;

  /** By their names in `src/commands.ts`; `target` comes from a code lens or menu. */
  readonly commands = {
    reviewChanges: () => this.#open(this.#activeChat()),
    keepAllChanges: () => this.#thenReportDone(this.#applyToAll('keep', this.#activeChat())),
    undoAllChanges: () => this.#thenFocusEditor(() => this.#applyToAll('undo', this.#activeChat())),
    keepShownChanges: () => this.#thenReportDone(this.#thenFocusEditor(() => this.#shown('keep'))),
    undoShownChanges: () => this.#thenFocusEditor(() => this.#shown('undo')),
    keepHunk: (target?: unknown) => this.#hunk('keep', target),
    undoHunk: (target?: unknown) => this.#thenFocusEditor(() => this.#hunk('undo', target)),
    keepFile: (target?: unknown) => this.#fileInEditor('keep', target),
    undoFile: (target?: unknown) => this.#thenFocusEditor(() => this.#fileInEditor('undo', target)),
    openChange: (target?: unknown) => this.#openFile(pathOf(target), asString(asObject(target)?.['session'])),
    nextChange: (target?: unknown) => this.#goTo('next', target),
    previousChange: () => this.#goTo('previous'),
    undoLastReview: () => this.#undoLast(),
    restoreCheckpoint: (target?: unknown) => this.#restoreCheckpoint(target),
  } as const;

  constructor(
    private readonly review: ChangeReview,
    private readonly scopes: ReviewScopes,
    private readonly multiFile: MultiFileReview,
    private readonly restore: Lazy<RestoreCheckpoint>,
    private readonly sessions: Sessions,
    private readonly chat: ReviewChat,
  ) {
    this.#navigation = new ReviewNavigation(review, scopes, sessions);
  }

  /**
   * Restores files to the state before a message that is sent again. Never rejects.
   * @param entry index of the message
   */
  async filesBefore(session: Session, entry: number): Promise<FileRestoreOutcome> {
    return (await this.restore.load()).before(session, entry);
  }

  async handle(session: Session, intent: ReviewIntent): Promise<void> {
    switch (intent.type) {
      case 'reviewChanges':
        return this.#open(session.id);
      case 'reviewTurn':
        return this.#reviewTurn(session, intent.entry);
      case 'keepAll':
        return this.#applyToAll('keep', session.id);
      case 'undoAll':
        return this.#applyToAll('undo', session.id);
      case 'keepFile':
        return this.#file('keep', intent.path, session.id);
      case 'undoFile':
        return this.#file('undo', intent.path, session.id);
      case 'openChange':
        return this.#openFile(intent.path, session.id);
      case 'keepDiff':
        return this.#edit('keep', session.diff(intent.diffId), session.id);
      case 'undoDiff':
        return this.#edit('undo', session.diff(intent.diffId), session.id);
      case 'restoreCheckpoint':
        return (await this.restore.load()).restore(session, intent.entry);
      case 'undoRestore':
        return (await this.restore.load()).undo(session, intent.undoId);
      default:
        return assertNever(intent);
    }
  }

  /** The message under the page's context menu, else one that the user selects. */
  async #restoreCheckpoint(target: unknown): Promise<void> {
    const { entry, session } = asObject(target) ?? {};
    const owner = typeof session === 'string' ? this.sessions.getOpen(session) : undefined;
    const restore = await this.restore.load();
    if (typeof entry === 'number' && owner) return restore.restore(owner, entry);
    return this.#thenFocusEditor(() => restore.choose(this.sessions.active));
  }

  #reviewTurn(session: Session, entry: number): Promise<void> {
    const files = session.state.turns.findLast((turn) => turn.entry === entry)?.files ?? [];
    return this.#open(session.id, new Set(files.map(({ path }) => path)));
  }

  async #open(sessionId?: string, only?: ReadonlySet<string>): Promise<void> {
    if (!(await this.multiFile.open(sessionId, only))) this.#warn(NO_CHANGES, sessionId);
  }

  async #openFile(path: string | undefined, sessionId?: string): Promise<void> {
    if (!(await openChange(this.review, path, sessionId))) this.#warn(NO_CHANGES_IN_FILE, sessionId);
  }

  /** @param target of a code lens; if omitted, the change at the cursor */
  async #hunk(step: Step, target?: unknown): Promise<void> {
    const found = isHunkTarget(target) ? target : this.#atCursor();
    if (!found) return this.#warn(t('There is no agent change at the cursor. Use Next Change to go to one.'));
    const file = this.review.file(found.path);
    // The file goes, so the way back must stay.
    if (step === 'undo' && file?.status === 'created') return this.#fileInEditor(step, found.path);
    const from = this.#locationOf(found);
    const result = await this.#applyToHunks(step, found.path, [found.hunkId]);
    if (!result) return;
    this.#showProblems(result);
    // The next change may start at the position of this one.
    if (from && result.problems.length === 0) await this.#navigation.goOn({ ...from, line: from.line - 1 });
  }

  /** Like {@link #file}, then moves to the next file. */
  async #fileInEditor(step: Step, target?: unknown): Promise<void> {
    const file = this.review.file(pathOf(target) ?? '');
    await this.#file(step, target);
    const isDone = file !== undefined && this.review.file(file.path) === undefined;
    if (isDone) await this.#navigation.goOn({ path: file.path, line: 0, label: file.label });
  }

  /** @param target of a code lens; if omitted, the cursor */
  async #goTo(direction: ReviewDirection, target?: unknown): Promise<void> {
    if (!(await this.#navigation.go(direction, this.#locationOf(target)))) this.#warn(NO_CHANGES);
  }

  /** @param target a path, a resource or a code lens argument; if omitted, the active editor's file */
  async #file(step: Step, target?: unknown, sessionId?: string): Promise<void> {
    const path = pathOf(target);
    if (path === undefined || !this.review.file(path)) return this.#warn(NO_CHANGES_IN_FILE, sessionId);
    if (step === 'keep') return this.#showProblems(await this.review.keepFile(path), sessionId);
    return this.#undo([path], sessionId, path);
  }

  /** @param sessionId limits to changes of this session's agent */
  #applyToAll(step: Step, sessionId?: string): Promise<void> {
    const paths = this.review.files(sessionId).map(({ path }) => path);
    return this.#applyToEach(step, { sessionId, paths: [...paths, ...this.review.unreviewed(sessionId)] });
  }

  /** A command means what the bar of the chat shows. Undefined where its agent has no changes: then it means all. */
  #activeChat(): string | undefined {
    const id = this.sessions.active?.id;
    const isAuthor = id !== undefined && (this.review.files(id).length > 0 || this.review.unreviewed(id).length > 0);
    return isAuthor ? id : undefined;
  }

  async #thenReportDone(done: Promise<void>): Promise<void> {
    await done;
    this.#navigation.reportDone();
  }

  /** If the tab in front is closed, nothing has the focus. */
  async #thenFocusEditor(step: () => Promise<void>): Promise<void> {
    const { tabGroups } = vscode.window;
    const { activeTab } = tabGroups.activeTabGroup;
    await step();
    if (tabGroups.activeTabGroup.activeTab === activeTab) return;
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  }

  /** Applies only to the files in the multi-file diff editor, because its buttons belong to these files. */
  async #shown(step: Step): Promise<void> {
    const { sessionId, paths = [] } = this.multiFile.shown ?? {};
    await this.#applyToEach(step, { sessionId, paths: paths.filter((path) => this.review.file(path)) });
    await this.multiFile.closeIfDone();
  }

  async #applyToEach(step: Step, { sessionId, paths }: ShownChanges): Promise<void> {
    if (paths.length === 0) return this.#warn(NO_CHANGES, sessionId);
    return step === 'keep' ? this.#keep(paths, sessionId) : this.#undo(paths, sessionId);
  }

  /** Offers to undo that: kept changes are in no list. */
  async #keep(paths: readonly string[], sessionId: string | undefined): Promise<void> {
    const result = await this.review.keepFiles(paths);
    const { step } = result;
    if (step === undefined) return this.#showProblems(result, sessionId);
    // Of a renamed file, both paths are done.
    const kept = paths.filter((path) => result.done.includes(path));
    const text = t('Kept changes in {0}', fileCount(kept.length));
    const details = problemTexts(result.problems, this.scopes);
    const button = { label: t('Undo'), run: () => this.#revert(step, sessionId) };
    this.chat.showNotice({ text, details, isWarning: details.length > 0, button }, sessionId);
  }

  /** Names what was skipped and whose changes it undid, and offers to redo the rest. */
  async #undo(all: readonly string[], sessionId: string | undefined, single?: string): Promise<void> {
    const by = sessionId ?? (single === undefined ? undefined : this.#activeAuthor(single));
    const isOfAll = sessionId === undefined && single === undefined;
    // Changes of all chats are those of others, except for the chat in use.
    const shared = sharedFiles(all, isOfAll ? this.sessions.active?.id : by, this.review, this.sessions);
    const { paths, only } = await this.#ask(all, shared, by);
    if (paths.length === 0) return;
    const { review } = this;
    const created = paths.filter((path) => review.file(path)?.status === 'created');
    const result = await (single === undefined ? review.undoFiles(paths, only) : review.undoFile(single, only));
    const { step: number, done } = result;
    if (done.length === 0 || number === undefined) return this.#showProblems(result, sessionId);
    const removed = created.filter((path) => done.includes(path) && !review.file(path));
    await closeFileTabs(removed);
    const problems = problemTexts(result.problems, this.scopes);
    const isWarning = problems.length > 0;
    const text = undoneText(done.length, single, this.scopes);
    const details = [...problems, ...(only === undefined ? sharedTexts(done, shared, this.scopes) : [])];
    const button = { label: t('Redo'), run: () => this.#revert(number, sessionId) };
    const isOnlyInChat = !isWarning && single !== undefined && removed.length === 0;
    this.chat.showNotice({ text, details, isWarning, button, isOnlyInChat }, sessionId);
  }

  /** @param by offers to undo the changes of this session only */
  async #ask(
    all: readonly string[],
    shared: SharedFiles,
    by: string | undefined,
  ): Promise<{ readonly paths: readonly string[]; readonly only?: string }> {
    const doubts = undoDoubts(all, shared, this.review, by);
    if (doubts.size === 0) return { paths: all };
    const { askToUndo } = await import('./undoQuestion');
    const { paths, isOwn } = await askToUndo(all, doubts, this.scopes, by !== undefined && shared.size > 0);
    return isOwn && by !== undefined ? { paths, only: by } : { paths };
  }

  /** The session in the view, if its agent is one of those that changed the file. */
  #activeAuthor(path: string): string | undefined {
    const id = this.sessions.active?.id;
    return id !== undefined && this.review.file(path)?.sessions.includes(id) ? id : undefined;
  }

  async #revert(number: number, sessionId: string | undefined): Promise<void> {
    const back = await this.review.undoStep(number);
    if (back) this.#showProblems(back, sessionId);
    else this.#warn(NOTHING_BACK, sessionId);
  }

  /** Shows the problems of a step, or removes those of the previous step. */
  #showProblems({ problems }: ReviewResult, sessionId?: string): void {
    this.chat.showNotice(problemNotice(problems, this.scopes), sessionId);
  }

  #warn(text: string, sessionId?: string): void {
    this.chat.showNotice(toWarning(text), sessionId);
  }

  /** Applies to the changes that remain of an edit in the chat. */
  async #edit(step: Step, edit: TranscriptEdit | undefined, sessionId: string): Promise<void> {
    const file = edit && this.review.file(edit.path);
    if (!edit || !file) return this.#warn(ALREADY_REVIEWED, sessionId);
    if (file.hunks.length <= 1) return this.#file(step, edit.path, sessionId);
    const hunks = hunksOfEdit(edit, file.hunks, await this.#lines(file));
    if (hunks.length === 0) return this.#warn(ALREADY_REVIEWED, sessionId);
    if (hunks.length === file.hunks.length) return this.#file(step, edit.path, sessionId);
    const ids = hunks.map(({ id }) => id);
    const result = await this.#applyToHunks(step, file.path, ids, sessionId);
    if (result) this.#showProblems(result, sessionId);
  }

  async #undoLast(): Promise<void> {
    if (!this.review.canUndoLast) return this.#warn(NOTHING_BACK);
    this.#showProblems(await this.review.undoLast());
  }

  /** Undefined if the user does not want to undo the work of other chats. */
  async #applyToHunks(
    step: Step,
    path: string,
    ids: readonly string[],
    by = this.#activeAuthor(path),
  ): Promise<ReviewResult | undefined> {
    const others = ids.flatMap((id) => this.review.othersIn(path, by ?? '', id));
    const isShared = step === 'undo' && new Set(others).size > (by === undefined ? 1 : 0);
    const shared = new Map(isShared ? [[path, sessionTitles(others, this.sessions)]] : []);
    const { paths, only } = isShared ? await this.#ask([path], shared, by) : { paths: [path] };
    if (paths.length === 0) return undefined;
    const problems: ReviewProblem[] = [];
    for (const id of ids) {
      // Sequential: each step moves later lines.
      const result = await (step === 'keep' ? this.review.keepHunk(path, id) : this.review.undoHunk(path, id, only));
      problems.push(...result.problems);
    }
    return { done: [], problems };
  }

  /** @param target of a code lens */
  #locationOf(target: unknown): ReviewCursor | undefined {
    const file = isHunkTarget(target) ? this.review.file(target.path) : undefined;
    const hunk = isHunkTarget(target) && file?.hunks.find(({ id }) => id === target.hunkId);
    return file && hunk ? { path: file.path, line: hunk.after.start, label: file.label } : undefined;
  }

  #atCursor(): HunkTarget | undefined {
    const editor = vscode.window.activeTextEditor;
    const file = editor && this.review.file(reviewedPath(editor.document.uri) ?? '');
    const hunk = file && hunkAt(file.hunks, editor.selection.active.line);
    return hunk && { path: file.path, hunkId: hunk.id };
  }

  async #lines({ path }: ReviewedFile): Promise<{ before: readonly string[]; after: readonly string[] }> {
    const open = findOpenDocument(path);
    const decoded = async (bytes: Uint8Array): Promise<readonly string[]> =>
      normalizedLines(await decodeBase(path, bytes));
    const base = this.review.baseBytes(path);
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
