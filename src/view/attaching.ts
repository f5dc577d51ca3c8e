import { basename } from 'node:path';
import * as vscode from 'vscode';
import { ParleyError, messageOf } from '../base/errors';
import type { Log } from '../base/log';
import { shorten } from '../base/text';
import { showHiddenInLine, withoutLinks } from '../base/visible';
import type { Attachment, AttachmentSource, Mention } from '../shared/attachments';
import { MAX_DATA, MAX_EMBEDDED, refusal } from '../shared/attachments';
import type { HostMessage } from '../shared/messages';
import type { SessionState } from '../shared/state';
import { AttachmentReader } from './attachmentReader';
import type { AttachingTarget } from './intents';
import type { MentionedSession } from './mentions';
import { Mentions } from './mentions';
import { dataType } from './dataType';
import type { ViewSession, ViewSessions } from './ports';
import { selectedLines } from './selectedLines';
import { terminalSelection } from './terminalSelection';
import type { WorkspacePaths } from './workspacePaths';

export interface AttachingOptions {
  readonly sessions: ViewSessions;
  readonly paths: WorkspacePaths;
  readonly log: Log;
  /** All sessions that there are, newest first. */
  earlier(): readonly MentionedSession[];
  /** What was said in one of them. */
  transcript(id: string): Promise<SessionState | undefined>;
  readonly chat: {
    mentions(id: number, mentions: readonly Mention[]): void;
    attach(attachments: readonly Attachment[], remarks: readonly string[]): Promise<void>;
    refuse(refused: Omit<Extract<HostMessage, { type: 'sendRefused' }>, 'type'>): void;
  };
}

/** Finds, fetches and reads what goes to the agent beside the words of a message. */
export class Attaching implements AttachingTarget {
  readonly #options: AttachingOptions;
  readonly #reader: AttachmentReader;
  readonly #mentions: Mentions;

  constructor(options: AttachingOptions) {
    this.#options = options;
    const { sessions, paths, log, chat } = options;
    this.#reader = new AttachmentReader({
      folders: () => sessions.active.folders,
      session: (id) => options.transcript(id),
    });
    this.#mentions = new Mentions({
      paths,
      log,
      sessions: () => options.earlier().filter(({ id }) => id !== sessions.active.id),
      post: (id, mentions) => chat.mentions(id, mentions),
    });
  }

  find(id: number, query: string): Promise<void> {
    return this.#mentions.find(id, query);
  }

  async send(session: ViewSession, text: string, attachments: readonly Attachment[]): Promise<void> {
    try {
      for (const one of attachments) this.#check(session, one);
      const blocks = await Promise.all(attachments.map((one) => this.#reader.read(one)));
      await session.send(text, blocks);
    } catch (error) {
      const next = ParleyError.is(error) ? error.nextStep : undefined;
      const reason = [`${messageOf(error)}.`.replace(/\.\.$/, '.'), next].filter(Boolean).join(' ');
      this.#options.chat.refuse({ session: session.id, text, attachments, reason });
    }
  }

  async attachFrom(source: AttachmentSource): Promise<void> {
    if (source === 'files') {
      const uris = await vscode.window.showOpenDialog({ canSelectMany: true, openLabel: 'Attach' });
      return uris && this.#attach(uris, true);
    }
    const text = await terminalSelection();
    if (text === undefined) return this.#options.chat.attach([], ['Nothing is selected in the terminal.']);
    const attachment = { kind: 'text', label: 'Terminal selection', text: shorten(text, MAX_EMBEDDED) } as const;
    return this.#options.chat.attach([attachment], []);
  }

  async attachUris(uris: readonly string[]): Promise<void> {
    await this.#attach(
      uris.map((uri) => vscode.Uri.parse(uri)),
      false,
    );
  }

  /** The command "Add Selection to Chat": the selection of the active editor, or its file. */
  async addSelection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      void vscode.window.showInformationMessage('Open a file and select what you want to add to the chat.');
      return;
    }
    const { uri } = editor.document;
    if (editor.selection.isEmpty) return this.#attach([uri], true);
    this.#reader.allow(uri);
    await this.#options.chat.attach([selectedLines(editor)], []);
  }

  /** @param chosen by the person, outside the page: it may lie anywhere */
  async #attach(uris: readonly vscode.Uri[], chosen: boolean): Promise<void> {
    const attachments: Attachment[] = [];
    const remarks: string[] = [];
    for (const uri of uris) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- in the order in which they were chosen
        attachments.push(await this.#attachmentOf(uri, chosen));
      } catch (error) {
        remarks.push(`${basename(uri.path)}: ${messageOf(error)}`);
      }
    }
    await this.#options.chat.attach(attachments, remarks);
  }

  async #attachmentOf(uri: vscode.Uri, chosen: boolean): Promise<Attachment> {
    const label = vscode.workspace.asRelativePath(uri);
    const { type, size } = await vscode.workspace.fs.stat(uri);
    const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    if (!chosen && !isInside && !(await confirmed(uri))) throw new ParleyError('outsideWorkspace', 'not attached');
    this.#reader.allow(uri);
    if (type & vscode.FileType.Directory) return { kind: 'folder', uri: uri.toString(), label };
    const mimeType = dataType(uri.path);
    if (mimeType === undefined) return { kind: 'file', uri: uri.toString(), label };
    if (size > MAX_DATA) {
      throw new ParleyError(
        'badInput',
        `it has ${(size / 1e6).toFixed(1)} MB; an agent gets at most ${MAX_DATA / 1e6} MB`,
      );
    }
    const data = Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('base64');
    const attachment = { kind: 'data', label: basename(uri.path), mimeType, data } as const;
    this.#check(this.#options.sessions.active, attachment);
    return attachment;
  }

  /** @throws ParleyError when the agent is known not to take it */
  #check(session: ViewSession, attachment: Attachment): void {
    if (attachment.kind !== 'data') return;
    const { connection, agent } = session.state;
    const accepts = connection.status === 'ready' ? connection.accepts : undefined;
    const why = refusal(attachment.mimeType, accepts, agent?.title ?? 'The agent');
    if (why !== undefined) throw new ParleyError('badInput', why, { nextStep: 'Remove it, or choose another agent.' });
  }
}

/** A page shows what agents write: what it names outside the workspace the person is asked about. */
async function confirmed(uri: vscode.Uri): Promise<boolean> {
  const detail = withoutLinks(showHiddenInLine(uri.fsPath));
  const question = 'Attach a file that lies outside the workspace?';
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, 'Attach')) === 'Attach';
}
