import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import type { FileAccess, SessionHandle } from '../../session/sessionHandle';
import { authorizeWrite } from './authorizePath';
import { binaryFileError, createFile, MAX_WHOLE_READ, readDisk, replaceFile, requireWritable } from './diskFiles';
import { restorePartialWrite } from '../../node/fs/overwriteFile';
import type { NoteText } from '../../workbench/editNotes';
import { EditNotes } from '../../workbench/editNotes';
import type { NonTextEditor } from '../../workbench/textDocuments';
import {
  applyMinimalEdit,
  findTextDocument,
  findNonTextEditor,
  clearDirtyState,
  saveDocument,
  waitForReload,
} from '../../workbench/textDocuments';
import { decodeBytes } from './readTextFile';
import type { LastSeenContents } from './lastSeenContents';
import type { OwnEdits } from './ownEdits';
import type { ResolvedPath } from './resolvePath';
import { resolvePathAgain } from './resolvePath';
import type { Eol } from '../../workbench/textEdits';
import { detectEol, firstChangedLine, withEol, matchFinalNewline } from '../../workbench/textEdits';
import { mergeThreeWay, formatLineRanges } from '../../history/diff/threeWayMerge';

export interface WriteParams {
  readonly sessionId: string;
  readonly path: string;
  readonly content: string;
}

/** The review of edits, as far as a write needs it. */
export interface EditReview {
  /**
   * Runs a write that the review attributes to the agent.
   * @param path absolute, as VS Code knows it
   */
  edit<T>(sessionId: string, path: string, write: (note?: NoteText) => Promise<T>): Promise<T>;
}

export interface WriteContext {
  readonly session: SessionHandle;
  readonly lastSeen: LastSeenContents;
  readonly log: Logger;
  /** Aborts when the agent cancels the request. */
  readonly signal: AbortSignal;
  readonly ownEdits: OwnEdits;
  readonly review?: EditReview;
  /** Called for every file that was read or written. */
  readonly onDidAccessFile?: (access: FileAccess) => void;
}

/**
 * Writes a file through its editor buffer, which keeps undo and the user's unsaved text, and saves it. Resolves once it is on disk; throws
 * without changes otherwise.
 */
export async function writeTextFile(params: WriteParams, context: WriteContext): Promise<void> {
  const { session, review } = context;
  const path = await authorizeWrite(session, params, context.signal);
  const write = (note?: NoteText): Promise<void> => writeInside(params, context, path, note);
  await (review?.edit(session.id, path.name, write) ?? write());
}

async function writeInside(
  params: WriteParams,
  context: WriteContext,
  path: ResolvedPath,
  note: NoteText | undefined,
): Promise<void> {
  const { session } = context;
  const other = await findNonTextEditor(path);
  const loaded = await findTextDocument(path);
  const disk = await readDisk(session.folders, path);
  if (disk?.type === 'large') throw tooLargeToWrite(path.requested);
  if (!disk && !loaded?.isDirty) return createNew(params, context, path);
  await requireWritable(path);
  if (other && disk && !loaded) {
    if (other.isDirty) throw refuseOther(path, other);
    return writeBehind(params, context, { path, bytes: disk.bytes }, `it is open in ${other.name}`);
  }
  const document = loaded ?? (await openDocument(path));
  await writeThrough(params, context, { path, document, ...(disk && { bytes: disk.bytes }) }, note);
}

/** A new file keeps the agent's line ends; on failure it is deleted. */
async function createNew(params: WriteParams, context: WriteContext, path: ResolvedPath): Promise<void> {
  const bytes = await vscode.workspace.encode(params.content, { uri: vscode.Uri.file(path.name) });
  await createFile(context.session.folders, path, bytes);
  context.lastSeen.set(params.sessionId, path.name, { text: params.content, isEdited: false });
  reportWrite(context, path, 1);
}

/** For notebooks, custom editors, and buffers that cannot be saved: writes to disk, and VS Code reloads the file. */
async function writeBehind(
  params: WriteParams,
  context: WriteContext,
  file: { path: ResolvedPath; bytes: Buffer; document?: vscode.TextDocument },
  why: string,
): Promise<void> {
  const { path, bytes, document } = file;
  context.log.info('client', `Wrote ${path.requested} on disk, not through a text buffer: ${why}`);
  const previous = await decodeBytes(bytes, path, document);
  const eol = detectEol(previous);
  const text = matchFinalNewline(previous, withEol(params.content, eol), eol);
  const bytesToWrite = await (document
    ? vscode.workspace.encode(text, { encoding: document.encoding })
    : vscode.workspace.encode(text, { uri: vscode.Uri.file(path.name) }));
  await replaceFile(context.session.folders, path, bytesToWrite);
  context.lastSeen.set(params.sessionId, path.name, { text: params.content, isEdited: false });
  reportWrite(context, path, firstChangedLine(previous, text));
}

function refuseOther(path: ResolvedPath, other: NonTextEditor): RpcError {
  const message = `${path.requested} is open with unsaved changes in an editor without text (${other.name}). Nothing was written; ask the user to save or close it.`;
  return new RpcError(rpcCodes.internalError, message, { path: path.requested, reason: 'conflict' });
}

function tooLargeToWrite(path: string): RpcError {
  const message = `${path} is larger than ${MAX_WHOLE_READ / 1024 / 1024} MiB and cannot be written through the editor. Nothing was written.`;
  return new RpcError(rpcCodes.invalidParams, message, { path, limit: MAX_WHOLE_READ });
}

async function openDocument(path: ResolvedPath): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(vscode.Uri.file(path.name));
  } catch (error) {
    if (/binary/i.test(errorMessage(error))) throw binaryFileError(path.requested);
    throw new RpcError(rpcCodes.internalError, `${path.requested} cannot be opened: ${errorMessage(error)}`, {
      path: path.requested,
    });
  }
}

interface OpenFile {
  readonly path: ResolvedPath;
  readonly document: vscode.TextDocument;
  /** Undefined when the file was deleted while open. */
  readonly bytes?: Buffer;
}

async function writeThrough(
  params: WriteParams,
  context: WriteContext,
  file: OpenFile,
  note: NoteText | undefined,
): Promise<void> {
  const { document, path, bytes } = file;
  const diskText = bytes && (await decodeBytes(bytes, path, document));
  const eol = (): Eol => (document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n');
  if (bytes && diskText !== undefined) {
    const isFresh = await waitForReload(document, () => document.getText() === withEol(diskText, eol()));
    if (!isFresh)
      return writeBehind(params, context, { path, bytes, document }, 'VS Code has not noticed that it changed');
  }
  const seen = context.lastSeen.get(params.sessionId, path.name);
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = { text: document.getText(), isDirty: document.isDirty };
    // A failed attempt means that the user has typed.
    const shouldMerge = attempt > 0 || before.isDirty || seen?.isEdited === true;
    const plan = planText(params, before.text, shouldMerge ? (seen?.text ?? diskText ?? '') : undefined, eol());
    if (plan.overlap !== undefined) throw refuseOverlap(context.session, path, plan.overlap);
    const notes = new EditNotes(document, note);
    const isDone = await context.ownEdits.run(document.uri.fsPath, () =>
      applyAndSave(context, file, before, { plan, notes }),
    );
    if (!isDone) continue;
    const isTyped = notes.isTyped || document.isDirty;
    if (isTyped) context.lastSeen.markEdited(path.name);
    const isEdited = isTyped || plan.text !== plan.theirs;
    context.lastSeen.set(params.sessionId, path.name, { text: params.content, isEdited });
    reportWrite(context, path, firstChangedLine(before.text, plan.text));
    return;
  }
  throw new RpcError(
    rpcCodes.internalError,
    `${path.requested} was edited all the while; nothing was written. Try again.`,
  );
}

interface Plan {
  /** The complete new text. */
  readonly text: string;
  /** The agent's text with the file's line ends. */
  readonly theirs: string;
  readonly overlap?: string;
}

/** The merged text; `overlap` names the lines of a conflict. */
function planText(params: WriteParams, mine: string, base: string | undefined, eol: Eol): Plan {
  const theirs = matchFinalNewline(mine, withEol(params.content, eol), eol);
  if (base === undefined) return { text: theirs, theirs };
  const merged = mergeThreeWay(withEol(base, eol), mine, theirs);
  if (merged.type === 'merged') return { text: merged.text, theirs };
  return { text: mine, theirs, overlap: formatLineRanges(merged.lines) };
}

function refuseOverlap(session: SessionHandle, path: ResolvedPath, lines: string): RpcError {
  const title = t('An edit was not applied');
  const text = t(
    'The agent’s edit of {0} overlaps your changes ({1}). Your text was not changed, and the agent received an error.',
    path.requested,
    lines,
  );
  session.dispatch({ type: 'noticeShown', severity: 'warning', title, text, at: Date.now() });
  const message = `${path.requested} has changes by the user at ${lines} that overlap with this write. Nothing was written. Read the file again and write a version that keeps them.`;
  return new RpcError(rpcCodes.internalError, message, { path: path.requested, reason: 'conflict', lines });
}

/** False when the user typed meanwhile, so that the edit must be planned again. */
async function applyAndSave(
  context: WriteContext,
  file: OpenFile,
  before: { text: string; isDirty: boolean },
  { plan, notes }: { readonly plan: Plan; readonly notes: EditNotes },
  isRetry = false,
): Promise<boolean> {
  const { document, path } = file;
  const { version } = document;
  if (!(await applyMinimalEdit(document, plan.text))) {
    if (document.version !== version && !document.isClosed) return false;
    throw new RpcError(rpcCodes.internalError, `${path.requested} cannot be edited: VS Code refused the edit`, {
      path: path.requested,
    });
  }
  notes.recordAgentText(plan.text);
  try {
    await resolvePathAgain(context.session.folders, path);
    await saveAndVerify(context, file, plan, notes);
    return true;
  } catch (error) {
    notes.recordTypedText();
    await restoreAfterFailure(context, file, before, plan.text, notes);
    const isRestored = !before.isDirty && !document.isDirty && document.getText() === before.text;
    if (isRetry || !isRestored) throw error;
    const disk = await readDisk(context.session.folders, path);
    if (disk?.type !== 'bytes' || file.bytes?.equals(disk.bytes) !== true) throw error;
    // VS Code had read the file's time before another program's write was complete. The restored buffer has the new time.
    return applyAndSave(context, file, before, { plan, notes }, true);
  }
}

/**
 * Checks that VS Code reports success, the buffer is clean, and disk and buffer agree. VS Code refuses to save when the file is newer than
 * the buffer, which is not a failure if the agent has already written this text itself.
 */
async function saveAndVerify(context: WriteContext, file: OpenFile, plan: Plan, notes: EditNotes): Promise<void> {
  const { document, path } = file;
  const { folders } = context.session;
  const isSaved = !document.isDirty || (await saveDocument(document, notes.recordTypedText));
  // Text typed from here on stays unsaved.
  const text = document.getText();
  const disk = await readDisk(folders, path);
  if (disk?.type === 'bytes') {
    const now = await decodeBytes(disk.bytes, path, document);
    if (isSaved && now === text) return;
    const isAgentsText = withEol(now, '\n') === withEol(plan.theirs, '\n') && document.getText() === plan.text;
    if (now === plan.text || (!isSaved && isAgentsText)) {
      const bytes = await vscode.workspace.encode(plan.text, { encoding: document.encoding });
      if (now !== plan.text) await replaceFile(folders, path, bytes);
      await clearDirtyState(document, plan.text);
      return;
    }
  }
  const message = `${path.requested} could not be saved: VS Code refused (read-only, full disk, or changed on disk meanwhile). Nothing was written.`;
  throw new RpcError(rpcCodes.internalError, message, { path: path.requested, reason: 'notSaved' });
}

/** @param line the first changed line, 1-based */
function reportWrite({ session, onDidAccessFile }: WriteContext, path: ResolvedPath, line: number): void {
  onDidAccessFile?.({ sessionId: session.id, path: path.name, kind: 'write', line });
}

/** Restores buffer and disk after a failed write. */
async function restoreAfterFailure(
  context: WriteContext,
  file: OpenFile,
  before: { text: string; isDirty: boolean },
  text: string,
  notes: EditNotes,
): Promise<void> {
  const { document, path, bytes } = file;
  try {
    if (bytes) {
      const bytesToWrite = await vscode.workspace.encode(text, { encoding: document.encoding });
      await restorePartialWrite(path.real, bytesToWrite, bytes);
    }
    // Keeps what the user typed since.
    const back = mergeThreeWay(text, document.getText(), before.text);
    if (back.type === 'merged' && (await applyMinimalEdit(document, back.text))) notes.recordAgentText(back.text);
    if (!before.isDirty) await clearDirtyState(document, before.text);
  } catch (error) {
    context.log.warn('client', `Failed to restore the buffer of ${path.requested}`, error);
  }
}
