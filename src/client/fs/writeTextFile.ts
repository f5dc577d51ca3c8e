// Protected by test/unit/client/fs/typedMeanwhile.test.ts: what the user types while an agent writes stays.
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { keepLineEnds, soleLineEnd } from '../../history/diff/lineEnds';
import { mergeThreeWay, formatLineRanges } from '../../history/diff/threeWayMerge';
import { restorePartialWrite } from '../../node/fs/overwriteFile';
import type { FileAccess, SessionHandle } from '../../session/sessionHandle';
import type { NoteText } from '../../workbench/editNotes';
import { EditNotes } from '../../workbench/editNotes';
import { savedFile } from '../../workbench/editorWrites';
import type { NonTextEditor } from '../../workbench/textDocuments';
import {
  applyMinimalEdit,
  findTextDocument,
  findNonTextEditor,
  clearDirtyState,
  saveDocument,
  waitForReload,
} from '../../workbench/textDocuments';
import type { Eol } from '../../workbench/textEdits';
import { firstChangedLine, withEol } from '../../workbench/textEdits';
import type { TextForm } from '../../workbench/textForm';
import {
  encodeDocument,
  encodeNewText,
  encodeText,
  formOfDocument,
  hasEncoding,
  MARK,
  withoutMark,
} from '../../workbench/textForm';
import { authorizeWrite } from './authorizePath';
import type { DiskBytes } from './diskFiles';
import { binaryFileError, createFile, MAX_WHOLE_READ, readDisk, replaceContent, requireWritable } from './diskFiles';
import type { LastSeenContents } from './lastSeenContents';
import type { OwnEdits } from './ownEdits';
import { readForm } from './readTextFile';
import type { ResolvedPath } from './resolvePath';
import { resolvePathAgain } from './resolvePath';

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
    return writeBehind(params, context, { path, disk }, `it is open in ${other.name}`);
  }
  const document = loaded ?? (await openDocument(path));
  const file = { path, document, saved: savedFile(document), ...(disk && { disk }) };
  await writeThrough(params, context, file, note);
}

/** A new file keeps the agent's line ends; on failure it is deleted. */
async function createNew(params: WriteParams, context: WriteContext, path: ResolvedPath): Promise<void> {
  const bytes = await encodeNewText(params.content, vscode.Uri.file(path.name));
  if (!bytes) throw encodingError(path, 'the encoding of new files');
  await createFile(context.session.folders, path, bytes);
  context.lastSeen.set(params.sessionId, path.name, { text: params.content, isEdited: false });
  reportWrite(context, path, 1);
}

/** For notebooks, custom editors, and texts that VS Code would save otherwise: writes to disk, and VS Code reloads the file. */
async function writeBehind(
  params: WriteParams,
  context: WriteContext,
  file: { path: ResolvedPath; disk: DiskBytes; document?: vscode.TextDocument },
  why: string,
): Promise<void> {
  const { path, disk, document } = file;
  context.log.info('client', `Wrote ${path.requested} on disk, not through a text buffer: ${why}`);
  const form = await readForm(disk.bytes, path, document);
  const target = targetOf(params, form, context.lastSeen.get(params.sessionId, path.name)?.text);
  const bytes = await encodeTarget(target.text, target.form, path);
  await replaceContent(context.session.folders, path, bytes, disk.version);
  context.lastSeen.set(params.sessionId, path.name, { text: params.content, isEdited: false });
  reportWrite(context, path, firstChangedLine(form.text, target.text));
}

/**
 * The agent's text as it belongs on disk. Line ends follow the file, except if the agent saw them and changes nothing else.
 * @param seen what the agent last read or wrote
 */
function targetOf(
  { content }: WriteParams,
  form: TextForm,
  seen: string | undefined,
): { text: string; form: TextForm } {
  const text = withoutMark(content);
  const isMarked = text !== content;
  const isMarkRemoved = !isMarked && seen?.startsWith(MARK) === true;
  const isOnlyEnds =
    seen !== undefined && withoutMark(seen) === form.text && withEol(text, '\n') === withEol(seen, '\n');
  const exact = isOnlyEnds ? text : keepLineEnds(form.text, text);
  return {
    text: isMarked && form.mark.length === 0 ? MARK + exact : exact,
    form: isMarkRemoved ? { ...form, mark: Buffer.alloc(0) } : form,
  };
}

async function encodeTarget(text: string, form: TextForm, path: ResolvedPath): Promise<Buffer> {
  const bytes = await encodeText(text, form);
  if (!bytes) throw encodingError(path, form.encoding);
  return bytes;
}

/** @param encoding its name */
function encodingError(path: ResolvedPath, encoding: string): RpcError {
  const message = `${path.requested} cannot be written: ${encoding} lacks a character of the text. Nothing was written; use other characters, or ask the user to set "files.encoding".`;
  return new RpcError(rpcCodes.internalError, message, { path: path.requested, reason: 'encoding' });
}

function refuseOtherEncoding(path: ResolvedPath, { encoding }: vscode.TextDocument): RpcError {
  const message = `${path.requested} has unsaved changes in an editor that shows it as ${encoding}, which its bytes are not. Nothing was written; ask the user to reopen it with its encoding.`;
  return new RpcError(rpcCodes.internalError, message, { path: path.requested, reason: 'encoding' });
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
  /** Where VS Code saves it; the document may have another name than `path`. */
  readonly saved: string;
  /** Undefined when the file was deleted while open. */
  readonly disk?: DiskBytes;
}

async function writeThrough(
  params: WriteParams,
  context: WriteContext,
  file: OpenFile,
  note: NoteText | undefined,
): Promise<void> {
  const { document, path, disk } = file;
  const form = disk ? await readForm(disk.bytes, path, document) : formOfDocument(document);
  const eol = (): Eol => (document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n');
  if (disk) {
    if (!hasEncoding(document, form)) {
      if (document.isDirty) throw refuseOtherEncoding(path, document);
      return writeBehind(params, context, { path, disk, document }, `VS Code shows it as ${document.encoding}`);
    }
    const isFresh = await waitForReload(document, () => document.getText() === withEol(form.text, eol()));
    if (!isFresh)
      return writeBehind(params, context, { path, disk, document }, 'VS Code has not noticed that it changed');
  }
  const seen = context.lastSeen.get(params.sessionId, path.name);
  const target = targetOf(params, form, seen?.text);
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = { text: document.getText(), isDirty: document.isDirty };
    // A failed attempt means that the user has typed.
    const shouldMerge = attempt > 0 || before.isDirty || seen?.isEdited === true;
    const base = shouldMerge ? (seen?.text ?? form.text) : undefined;
    const plan = await planText(path, target, { mine: before.text, base, eol: eol() });
    if (plan.overlap !== undefined) throw refuseOverlap(context.session, path, plan.overlap);
    if (await carryOut(params, context, file, { plan, before, note })) return;
  }
  throw new RpcError(
    rpcCodes.internalError,
    `${path.requested} was edited all the while; nothing was written. Try again.`,
  );
}

/** False when the user typed meanwhile, so that the edit must be planned again. */
async function carryOut(
  params: WriteParams,
  context: WriteContext,
  file: OpenFile,
  edit: { plan: Plan; before: { text: string; isDirty: boolean }; note: NoteText | undefined },
): Promise<boolean> {
  const { document, path, disk } = file;
  const { plan, before, note } = edit;
  const isSavedOtherwise = !(await encodeDocument(document, plan.text)).equals(plan.bytes);
  if (document.isDirty !== before.isDirty || document.getText() !== before.text) return false;
  let isTyped = false;
  if (disk && !before.isDirty && isSavedOtherwise) {
    // Not by a save and a correction of it: what VS Code would save is never on disk, not even for a moment.
    await replaceContent(context.session.folders, path, plan.bytes, disk.version);
  } else {
    const notes = new EditNotes(document, note);
    const isDone = await context.ownEdits.run(document.uri.fsPath, () =>
      applyAndSave(context, file, before, { plan, notes }),
    );
    if (!isDone) return false;
    isTyped = notes.isTyped || document.isDirty;
  }
  if (isTyped) context.lastSeen.markEdited(path.name);
  const isEdited = isTyped || plan.text !== plan.theirs;
  context.lastSeen.set(params.sessionId, path.name, { text: params.content, isEdited });
  reportWrite(context, path, firstChangedLine(before.text, plan.text));
  return true;
}

interface Plan {
  /** The complete new text in the editor, with its line ends. */
  readonly text: string;
  /** The same on disk. */
  readonly bytes: Buffer;
  /** The agent's text with the editor's line ends. */
  readonly theirs: string;
  readonly overlap?: string;
}

/**
 * The merged text; `overlap` names the lines of a conflict.
 * @param editor `mine` is its text, `base` the text that both changed
 */
async function planText(
  path: ResolvedPath,
  { text, form }: { readonly text: string; readonly form: TextForm },
  { mine, base, eol }: { readonly mine: string; readonly base: string | undefined; readonly eol: Eol },
): Promise<Plan> {
  const theirs = withEol(withoutMark(text), eol);
  if (base === undefined) return { text: theirs, theirs, bytes: await encodeTarget(text, form, path) };
  const merged = mergeThreeWay(withEol(withoutMark(base), eol), mine, theirs);
  if (merged.type !== 'merged')
    return { text: mine, theirs, bytes: Buffer.alloc(0), overlap: formatLineRanges(merged.lines) };
  const exact = soleLineEnd(form.text) === undefined ? keepLineEnds(form.text, merged.text) : merged.text;
  return { text: merged.text, theirs, bytes: await encodeTarget(exact, form, path) };
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
  if (!(await applyMinimalEdit(document, plan.text, file.saved))) {
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
    if (disk?.type !== 'bytes' || file.disk?.bytes.equals(disk.bytes) !== true) throw error;
    // VS Code had read the file's time before another program's write was complete. The restored buffer has the new time.
    return applyAndSave(context, file, before, { plan, notes }, true);
  }
}

/**
 * Checks that the disk has the planned bytes, and the buffer is clean. What formatters and other participants of the save made of the text
 * is replaced: the agent's text was approved, not theirs. VS Code refuses to save when the file is newer than the buffer, which is not a
 * failure if the agent has already written this text itself.
 */
async function saveAndVerify(context: WriteContext, file: OpenFile, plan: Plan, notes: EditNotes): Promise<void> {
  const { document, path } = file;
  const { folders } = context.session;
  const { isSaved, isTyped } = document.isDirty
    ? await saveDocument(document, file.saved, notes.recordTypedText)
    : { isSaved: true, isTyped: false };
  const [saved, disk] = [await encodeDocument(document), await readDisk(folders, path)];
  if (disk?.type === 'bytes') {
    // Text typed from here on stays unsaved.
    const form = await readForm(disk.bytes, path, document);
    const isAsSaved = disk.bytes.equals(saved);
    if (isSaved && (disk.bytes.equals(plan.bytes) || (isAsSaved && (isTyped || notes.isTyped)))) return;
    if (isSaved && isAsSaved) {
      await replaceContent(folders, path, plan.bytes, disk.version);
      await waitForReload(document, () => document.getText() === plan.text);
      return;
    }
    const isAgentsText = withEol(form.text, '\n') === withEol(plan.theirs, '\n') && document.getText() === plan.text;
    const isPlanned = disk.bytes.equals(plan.bytes);
    if (isPlanned || (!isSaved && isAgentsText)) {
      if (!isPlanned) await replaceContent(folders, path, plan.bytes, disk.version);
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
  const { document, path, disk } = file;
  try {
    if (disk) {
      const bytesToWrite = await vscode.workspace.encode(text, { encoding: document.encoding });
      await restorePartialWrite(path.real, bytesToWrite, disk.bytes);
    }
    // Keeps what the user typed since.
    const back = mergeThreeWay(text, document.getText(), before.text);
    if (back.type === 'merged' && (await applyMinimalEdit(document, back.text, savedFile(document))))
      notes.recordAgentText(back.text);
    if (!before.isDirty) await clearDirtyState(document, before.text);
  } catch (error) {
    context.log.warn('client', `Failed to restore the buffer of ${path.requested}`, error);
  }
}
