import { chmod, lstat, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { fileVersion } from '../../node/fs/fileVersion';
import { isFolder } from '../../node/fs/moveAside';
import { createNew, overwrite } from '../../node/fs/overwriteFile';
import { hasModes } from '../../node/fs/permissions';
import { inFolderOf } from '../../node/fs/pinnedFolder';
import { isInside } from '../../node/fs/realPaths';
import type { Sessions } from '../../session/sessions';
import type { ReviewIntent } from '../../shared/protocol/chatPageProtocol';
import type { NoteText } from '../../workbench/editNotes';
import { applyInPlace } from '../../workbench/editorWrites';
import { requireNoOtherUnsaved, waitForReload } from '../../workbench/textDocuments';
import { showWarningMessage } from '../../workbench/windowMessages';
import { readWorkspaceFile } from '../../workbench/workspaceFiles';
import { localFolders } from '../../workbench/workspaceFolders';
import { MAX_UNTRACKED } from '../../worktrees/largeFiles';
import type { WorktreeChange } from '../../worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { textIn } from '../attachments/attachmentReader';
import type { CodeTarget } from '../chat/content/codeTarget';
import { findNamedFile, requireInPlace } from '../chat/content/codeTarget';
import { documentText, writeFileChange } from '../chat/content/writeFileChange';
import type { Notices, Review } from '../window';
import type { TakePlan } from './planTake';
import { onlyChangeAt, planTake } from './planTake';

const CHANGED = t('The file was changed in the meantime; try again');

/** Bytes of a file in the workspace: what VS Code can write at once. */
const MAX_FILE = 1024 * 1024 * 1024;

interface Sides {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/**
 * The outcome of a change: the workspace has it now, the workspace had it before, or it was not taken. The problem
 * names the file.
 */
type Outcome = 'taken' | 'present' | { readonly problem: string };

/**
 * Takes changes of a worktree into the workspace, as edits of its session: with marks, Keep and Undo. What the user has changed there is
 * never overwritten.
 */
export class TakeChanges {
  constructor(
    private readonly worktrees: Worktrees,
    private readonly sessions: Sessions,
    private readonly review: Review,
    private readonly notices: Notices,
  ) {}

  async takeAll(record: WorktreeRecord): Promise<void> {
    const changes = await this.worktrees.changes(record);
    // Deletions first: a folder may replace a file, and a file a folder.
    const ordered = [...changes.filter(isDeletion), ...changes.filter((change) => !isDeletion(change))];
    await this.#takeWithCheckpoint(record, async () => {
      const outcomes: Outcome[] = [];
      for (const change of ordered) outcomes.push(await this.#takeChange(record, change));
      return outcomes;
    });
  }

  /** Shows the first file of the workspace with changes of the attempt, with Keep and Undo; Next Change leads to the others. */
  async reviewTaken(record: WorktreeRecord): Promise<void> {
    const { session = record.branch } = record;
    await vscode.commands.executeCommand('parley.openChange', { path: takenFiles(this.review, record)[0], session });
  }

  /** @param name relative to the worktree's top folder */
  async file(record: WorktreeRecord, name: string): Promise<void> {
    const change = await this.#find(record, name);
    await this.#takeWithCheckpoint(record, async () => [
      change ? await this.#takeChange(record, change) : toUnchanged(name),
    ]);
  }

  /**
   * @param name relative to the worktree's top folder
   * @param line 0-based, in the worktree's file
   */
  async hunk(record: WorktreeRecord, name: string, line: number): Promise<void> {
    const change = await this.#find(record, name);
    const take = (): Promise<Outcome> | Outcome => (change ? this.#takeHunk(record, change, line) : toUnchanged(name));
    await this.#takeWithCheckpoint(record, async () => [await take()]);
  }

  async #takeWithCheckpoint(record: WorktreeRecord, take: () => Promise<readonly Outcome[]>): Promise<void> {
    const { session = record.branch } = record;
    let outcomes: readonly Outcome[] = [];
    const undoId = await this.review.withCheckpoint(session, async () => {
      outcomes = await take();
    });
    this.#report(record, outcomes, undoId);
  }

  async #find(record: WorktreeRecord, name: string): Promise<WorktreeChange | undefined> {
    return (await this.worktrees.changes(record)).find((change) => change.name === name);
  }

  async #takeHunk(record: WorktreeRecord, change: WorktreeChange, line: number): Promise<Outcome> {
    // An added file is a single hunk. It is copied byte by byte.
    if (change.status === 'added') return this.#takeChange(record, change);
    const { before, after } = await this.worktrees.bytes(record, change);
    const [base, theirs] = [textOfBytes(before ?? new Uint8Array()), after && textOfBytes(after)];
    const text = base === undefined || theirs === undefined ? undefined : onlyChangeAt(base, theirs, line);
    if (text === undefined) return { problem: t('There is no worktree change at the cursor.') };
    return this.#takeChange(record, { ...change, isModeChanged: false }, { before, after: Buffer.from(text) });
  }

  async #takeChange(record: WorktreeRecord, change: WorktreeChange, hunk?: Sides): Promise<Outcome> {
    const shown = escapeInvisibleInline(change.name);
    try {
      // As git names a file whose name is not UTF-8: the path would mean another file.
      if (change.name.includes('\ufffd')) return { problem: t('{0} has a name that is not UTF-8', shown) };
      if (change.isSpecial) return { problem: t('{0} is a link or a submodule', shown) };
      if (change.isLarge) return { problem: t('{0} is larger than {1} MB', shown, MAX_UNTRACKED / 1024 / 1024) };
      const target = await findNamedFile(join(record.repository, change.name), localFolders());
      if ('problem' in target) return target;
      requireNoOtherUnsaved(target.uri.fsPath);
      const because = target.protection;
      if (because !== undefined && !(await mayTake(shown, because))) return { problem: t('{0} was not taken', shown) };
      const taken = await planFor(target, hunk ?? (await this.worktrees.bytes(record, change)), hunk !== undefined);
      if (taken.type === 'conflict') return { problem: conflictText(shown, taken.lines) };
      const mode = await modeFor(target, record.path, change);
      if (taken.type === 'nothing' && mode === undefined) return 'present';
      const { session = record.branch } = record;
      const path = target.uri.fsPath;
      await this.review.edit(session, path, async (note) => {
        if (taken.type !== 'nothing') await carryOut(target, taken, note);
        if (mode !== undefined) await chmod(path, mode);
      });
      if (taken.type === 'delete') await removeEmptyFolders(record, dirname(change.name));
      return 'taken';
    } catch (error) {
      return { problem: t('{0}: {1}', shown, escapeInvisibleInline(errorMessage(error))) };
    }
  }

  #report({ branch, session }: WorktreeRecord, outcomes: readonly Outcome[], undoId: string | undefined): void {
    const problems = outcomes.flatMap((outcome) => (typeof outcome === 'object' ? outcome.problem : []));
    const count = outcomes.filter((outcome) => outcome === 'taken').length;
    const text =
      count > 0
        ? t('Took {0} from “{1}”.', count === 1 ? t('1 change') : t('{0} changes', count), branch)
        : problems.length === 0 && outcomes.length > 0
          ? t('The workspace already has the changes of “{0}”.', branch)
          : t('Nothing was taken from “{0}”.', branch);
    const [label, intent]: [string, ReviewIntent] =
      undoId === undefined
        ? [t('Review Changes'), { type: 'reviewChanges' }]
        : [t('Undo'), { type: 'undoRestore', undoId }];
    const button = count > 0 && session !== undefined && { label, run: () => this.#showReview(session, intent) };
    this.notices.show({ text, details: problems, isWarning: problems.length > 0, ...(button && { button }) });
  }

  /** Opens the changes of the session under review, or undoes what followed a checkpoint. */
  async #showReview(sessionId: string, intent: ReviewIntent): Promise<void> {
    const session = this.sessions.getOpen(sessionId) ?? (await this.sessions.open.load(sessionId));
    if (session) await this.review.handle(session, intent);
  }
}

/** Absolute paths of the files of the workspace with changes of a worktree that are not reviewed yet. */
export function takenFiles(review: Review, { session, branch, path }: WorktreeRecord): readonly string[] {
  return review.changedFiles(session ?? branch).filter((file) => !isInside(path, file));
}

/** `mine`: the content in the workspace. */
type Taken =
  | Exclude<TakePlan, { type: 'write' | 'delete' }>
  | { readonly type: 'write'; readonly text: string; readonly mine: string }
  | { readonly type: 'delete'; readonly mine: Uint8Array | undefined }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array; readonly mine: Uint8Array | undefined };

/** @param isHunk whether `after` contains only a part of the change; then its line ends and encoding do not count */
async function planFor({ exists, uri }: CodeTarget, { before, after }: Sides, isHunk: boolean): Promise<Taken> {
  const [base, theirs] = [before && textOfBytes(before), after && textOfBytes(after)];
  const isText = (before === undefined || base !== undefined) && (after === undefined || theirs !== undefined);
  const mine = exists ? await readWorkspaceFile(uri, MAX_FILE) : undefined;
  // Whether the bytes must be compared, because the texts do not show line ends, a byte order mark or another encoding.
  const isExact = !isHunk && after !== undefined && (mine === undefined || !isText || formOf(before) !== formOf(after));
  const isUntouched = isSameContent(mine, before) && !isDirty(uri);
  if (isText && !(isExact && isUntouched)) {
    // Includes unsaved text.
    const current = exists ? await currentText(uri) : undefined;
    const plan = planTake({ base, theirs, mine: current });
    if (plan.type === 'delete') return { ...plan, mine };
    return plan.type === 'write' ? { ...plan, mine: current ?? '' } : plan;
  }
  if (isSameContent(mine, after)) return { type: 'nothing' };
  if (!isUntouched) return { type: 'conflict', lines: undefined };
  return after === undefined ? { type: 'delete', mine } : { type: 'bytes', bytes: after, mine };
}

function formOf(bytes: Uint8Array | undefined): string {
  if (!bytes) return '';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return `${text.indexOf('\uFEFF') === 0} ${text.includes('\r\n')}`;
}

function isDirty(uri: vscode.Uri): boolean {
  const key = uri.toString();
  return vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === key);
}

function isDeletion({ status }: WorktreeChange): boolean {
  return status === 'deleted';
}

/**
 * The file mode that a change sets; undefined if the file already has it. A new file gets that of the worktree; of others, a worktree has
 * only whether they are executable.
 */
async function modeFor(
  { uri, exists }: CodeTarget,
  worktree: string,
  { name, status, isExecutable, isModeChanged }: WorktreeChange,
): Promise<number | undefined> {
  if (status === 'deleted' || (status === 'modified' && !isModeChanged) || !hasModes(uri.fsPath)) return undefined;
  const mode = exists ? (await stat(uri.fsPath)).mode & 0o777 : undefined;
  const given = status === 'added' ? await modeIn(join(worktree, name)) : undefined;
  const like = given ?? mode ?? 0o644;
  const next = isExecutable ? like | ((like & 0o444) >> 2) : like & ~0o111;
  return next === mode ? undefined : next;
}

async function modeIn(path: string): Promise<number | undefined> {
  const info = await lstat(path).catch(() => undefined);
  return info?.isFile() ? info.mode & 0o777 : undefined;
}

/**
 * Removes empty folders as git does. A folder that also exists in the worktree stays.
 * @param name relative to the top folders
 */
async function removeEmptyFolders(
  { repository, path }: Pick<WorktreeRecord, 'repository' | 'path'>,
  name: string,
): Promise<void> {
  if (name === '.' || (await isFolder(join(path, name)))) return;
  const isRemoved = await rmdir(join(repository, name)).then(
    () => true,
    () => false,
  );
  if (isRemoved) await removeEmptyFolders({ repository, path }, dirname(name));
}

/** @throws Error when VS Code has not noticed a change on disk */
async function currentText(uri: vscode.Uri): Promise<string> {
  const document = await vscode.workspace.openTextDocument(uri);
  const disk = textOfBytes(await readWorkspaceFile(uri, MAX_FILE));
  const isFresh = (): boolean => disk === undefined || documentText(document) === disk;
  if (!(await waitForReload(document, isFresh))) throw new Error(CHANGED);
  return documentText(document);
}

async function carryOut(
  target: CodeTarget,
  taken: Exclude<Taken, { type: 'nothing' | 'conflict' }>,
  note: NoteText | undefined,
): Promise<void> {
  const { uri } = target;
  if (taken.type === 'write') return writeFileChange({ ...target, before: taken.mine, after: taken.text }, note);
  requireInPlace(target);
  const seen = await fileVersion(target.real);
  // This is the only check that the file has not changed since the plan was made.
  if (isDirty(uri) || !isSameContent(await readWorkspaceFile(uri, MAX_FILE).catch(() => undefined), taken.mine))
    throw new Error(CHANGED);
  if (taken.type === 'bytes') {
    // Not by VS Code: it truncates a file before it notices a full disk.
    const { bytes } = taken;
    if (seen === 'none') return createNew(target.real, bytes);
    return inFolderOf(target.real, (at) => overwrite(at, bytes, seen));
  }
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(uri);
  if (!(await applyInPlace(edit, [target]))) throw new Error(t('VS Code rejected the edit; try again'));
}

/** With `\n`; undefined for a binary file. */
function textOfBytes(bytes: Uint8Array): string | undefined {
  return textIn(bytes)?.replaceAll('\r\n', '\n');
}

function isSameContent(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined ? one === other : Buffer.compare(one, other) === 0;
}

/** Asks before a file is taken that can run code later. */
async function mayTake(name: string, because: string): Promise<boolean> {
  const take = t('Take');
  const message = t('Take the changes of “{0}”? This file {1}.', name, because);
  return (await showWarningMessage(message, { modal: true }, take)) === take;
}

function toUnchanged(name: string): Outcome {
  return { problem: t('{0} has no changes in the worktree', escapeInvisibleInline(name)) };
}

function conflictText(name: string, lines: string | undefined): string {
  return lines === undefined
    ? t('{0} was also changed in the workspace', name)
    : t('{0} was also changed in the workspace ({1})', name, lines);
}
