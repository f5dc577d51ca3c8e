import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { assertNever } from '../../base/assert';
import { ParleyError, errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { conversationText } from '../../history/conversationText';
import { splitLines } from '../../history/diff/lineDiff';
import { displayPath } from '../../node/fs/pathLabel';
import { isInside } from '../../node/fs/realPaths';
import type { Session } from '../../session/session';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Attachment, LineRange } from '../../shared/state/attachments';
import { MAX_DATA, MAX_EMBEDDED } from '../../shared/state/attachments';
import type { Block } from '../../shared/state/contentBlocks';
import { isInWorkspace, readRealFile, realUri } from '../../workbench/workspaceFiles';
import type { Worktrees } from '../../worktrees/worktrees';
import type { ChosenFiles } from './chosenFiles';
import { gitChanges } from './gitChanges';
import { mimeTypeOf, textMimeTypeOf } from './mimeType';

/** A file that may be sent. */
interface AllowedFile {
  readonly uri: vscode.Uri;
  /** With all links resolved: the file that was looked at, or that the user was asked about. */
  readonly real: vscode.Uri;
}

const MAX_PROBLEMS = 500;
/** Bytes of a file from which lines are sent; VS Code shows extensions no larger one. */
const MAX_FILE = 50 * 1024 * 1024;

/** Reads attachments when they are sent: a document's unsaved text rather than the file. */
export class AttachmentReader {
  constructor(
    private readonly catalog: SessionCatalog,
    private readonly worktrees: Worktrees,
    private readonly chosenFiles: ChosenFiles,
  ) {}

  /**
   * @param session gets it
   * @throws ParleyError that names what cannot be read, with what to do
   */
  async read(attachment: Exclude<Attachment, { kind: 'resource' }>, session: Session): Promise<Block> {
    const { kind, label } = attachment;
    switch (kind) {
      case 'file':
        return this.#file(await this.#allowed(attachment.uri, label, session), label);
      case 'folder':
      case 'active':
        return {
          type: 'link',
          uri: (await this.#allowed(attachment.uri, label, session)).uri.toString(),
          name: label,
        };
      case 'lines':
        return this.#lines(await this.#allowed(attachment.uri, label, session), attachment.lines, label);
      case 'problems':
        return toOwnText('problems', ofMainFolder(session) + problemsText(session.cwd));
      case 'changes':
        return asText('git-changes', ofMainFolder(session) + (await gitChanges()));
      case 'session':
        return this.#session(attachment.id, label);
      case 'text':
        return toOwnText(label, attachment.text);
      case 'data':
        return dataBlock(attachment.mimeType, attachment.data, label);
      default:
        return assertNever(kind);
    }
  }

  async #file({ uri, real }: AllowedFile, label: string): Promise<Block> {
    const link = { type: 'link', uri: uri.toString(), name: label } as const;
    const open = openDocument(uri);
    const isInEditor = open !== undefined && (open.isDirty || uri.scheme !== 'file');
    if (isInEditor && open.getText().length <= MAX_EMBEDDED) {
      return fileText(uri, await textOf({ uri, real }, label));
    }
    const { size } = await stat(real, label);
    const mimeType = open ? undefined : mimeTypeOf(uri.path);
    const isPicture = mimeType?.startsWith('image/') === true && size <= MAX_DATA;
    const limit = isPicture ? MAX_DATA : MAX_EMBEDDED;
    if (size > limit) return { ...link, size };
    try {
      if (isPicture) return await picture({ uri, real }, mimeType, label);
      const bytes = await readFile(real, limit, label);
      const text = open ? await vscode.workspace.decode(bytes, { encoding: open.encoding }) : textIn(bytes);
      return text === undefined ? { ...link, size } : fileText(uri, text);
    } catch (error) {
      // It has grown meanwhile.
      const now = await stat(real, label);
      if (now.size > limit) return { ...link, size: now.size };
      throw error;
    }
  }

  async #lines({ uri, real }: AllowedFile, { first, last }: LineRange, label: string): Promise<Block> {
    const rangeUri = `${uri.toString()}#L${first}-L${last}`;
    const text = splitLines(await textOf({ uri, real }, label))
      .slice(first - 1, last)
      .join('');
    if (text.length > MAX_EMBEDDED) return { type: 'link', uri: rangeUri, name: label };
    return { ...fileText(uri, text), uri: rangeUri };
  }

  async #session(id: string, label: string): Promise<Block> {
    const state = await this.catalog.transcript(id);
    if (!state) throw unreadable(label, t('the session no longer exists'));
    return toOwnText(`session/${label}`, conversationText(state));
  }

  /**
   * The file to read. Only those of the workspace and of files that the user selected, because a page shows texts of agents. Asks about a link
   * that leads out of the workspace.
   */
  async #allowed(uriText: string, label: string, { state: { folder = '' } }: Session): Promise<AllowedFile> {
    const uri = vscode.Uri.parse(uriText);
    const isNamedInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    // In the worktree of the session.
    const own = isNamedInside && uri.scheme === 'file' ? this.worktrees.counterpart(folder, uri.fsPath) : undefined;
    const requested = own !== undefined && existsSync(own) ? vscode.Uri.file(own) : uri;
    const real = realUri(requested);
    const isOwn = requested !== uri && isInside(realUri(vscode.Uri.file(folder)).fsPath, real.fsPath);
    if (isOwn || this.chosenFiles.has(requested, real)) return { uri: requested, real };
    if (!isNamedInside) {
      const nextStep = t('To send this file, remove the attachment and attach it again.');
      throw new ParleyError('outsideWorkspace', t('{0} is outside the workspace', label), { nextStep });
    }
    await this.chosenFiles.confirm(real);
    return { uri: requested, real };
  }
}

/** Includes the URI, for agents that do not support images. */
async function picture({ uri, real }: AllowedFile, mimeType: string, label: string): Promise<Block> {
  const bytes = await readFile(real, MAX_DATA, label);
  return { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType, uri: uri.toString() };
}

function fileText(uri: vscode.Uri, text: string): Extract<Block, { type: 'resource' }> {
  return { type: 'resource', uri: uri.toString(), text, mimeType: textMimeTypeOf(uri.path), isFile: true };
}

async function stat(uri: vscode.Uri, label: string): Promise<vscode.FileStat> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    throw unreadable(label, errorMessage(error));
  }
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

/**
 * The unsaved text of a file, else what the file has: VS Code reads by name, so that an editor may still have what a link led to before, or
 * leads to while it reads.
 */
async function textOf({ uri, real }: AllowedFile, label: string): Promise<string> {
  const open = openDocument(uri);
  if (uri.scheme !== 'file') return (open ?? (await load(uri, label))).getText();
  if (open?.isDirty) {
    if (realUri(uri).toString() === real.toString()) return open.getText();
    throw unreadable(label, t('a link has replaced it'));
  }
  const bytes = await readFile(real, MAX_FILE, label);
  return open ? vscode.workspace.decode(bytes, { encoding: open.encoding }) : vscode.workspace.decode(bytes, { uri });
}

async function load(uri: vscode.Uri, label: string): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    throw unreadable(label, errorMessage(error));
  }
}

async function readFile(real: vscode.Uri, maxBytes: number, label: string): Promise<Uint8Array> {
  try {
    return await readRealFile(real, maxBytes);
  } catch (error) {
    throw unreadable(label, errorMessage(error));
  }
}

function unreadable(label: string, why: string): ParleyError {
  const nextStep = t('Remove the attachment from the message.');
  return new ParleyError('notFound', t('Could not read {0}: {1}', label, why), { nextStep });
}

/** Undefined if the bytes are not UTF-8. */
export function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Text without a file, under a URI of Parley's own. */
function toOwnText(name: string, text: string): Block {
  const left = text.length - MAX_EMBEDDED;
  const whole = left > 0 ? `${truncate(text, MAX_EMBEDDED)}\n[${left} more characters were left out]` : text;
  return asText(name, whole);
}

function asText(name: string, text: string): Block {
  return { type: 'resource', uri: ownUri(name), text, mimeType: 'text/plain' };
}

function ownUri(name: string): string {
  return `parley:${name.split('/').map(encodeURIComponent).join('/')}`;
}

function dataBlock(mimeType: string, data: string, label: string): Block {
  if (data.length * 0.75 > MAX_DATA + 2) {
    const nextStep = t('Remove the attachment, or attach a smaller file.');
    throw new ParleyError('badInput', t('{0} is larger than {1} MB', label, MAX_DATA / 1_000_000), { nextStep });
  }
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', uri: ownUri(label), blob: data, mimeType };
}

/** The editor knows the problems and changes of the main folder only. */
function ofMainFolder({ state: { branch } }: Session): string {
  return branch === undefined ? '' : `This is about the main folder, not about the git worktree ${branch}.\n`;
}

const SEVERITIES = ['error', 'warning', 'info', 'hint'];

/** Problems of the workspace, one per line, errors first; paths relative to the folder of the session, or absolute. */
function problemsText(cwd: string): string {
  const problems = vscode.languages
    .getDiagnostics()
    // A message may quote the file, which a link may lead to.
    .filter(([uri]) => isInWorkspace(uri))
    .flatMap(([uri, all]) => all.map((one) => ({ uri, ...pick(one) })))
    .toSorted((a, b) => a.severity - b.severity);
  if (problems.length === 0) return 'The editor shows no problems.';
  const lines = problems.slice(0, MAX_PROBLEMS).map(({ uri, line, severity, message, source }) => {
    const path = displayPath(uri.fsPath, [cwd]);
    return `${path}:${line}: ${SEVERITIES[severity] ?? 'problem'}: ${message}${source ? ` (${source})` : ''}`;
  });
  const left = problems.length - lines.length;
  return [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n');
}

function pick({ range, severity, message, source }: vscode.Diagnostic): {
  line: number;
  severity: number;
  message: string;
  source: string | undefined;
} {
  return { line: range.start.line + 1, severity, message, source };
}
