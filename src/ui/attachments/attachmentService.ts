import { basename } from 'node:path';
import * as vscode from 'vscode';
import { ParleyError, errorMessage } from '../../base/errors';
import { formatFixed, t } from '../../base/l10n';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { ServerContent } from '../../session/serverContent';
import { findServerPrompt } from '../../session/serverContent';
import type { Session } from '../../session/session';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Sessions } from '../../session/sessions';
import type { Attachment, AttachmentSource, Mention } from '../../shared/state/attachments';
import { MAX_DATA, unsupportedReason } from '../../shared/state/attachments';
import type { Block } from '../../shared/state/contentBlocks';
import { showInformationMessage } from '../../workbench/windowMessages';
import { readRealFile, realUri } from '../../workbench/workspaceFiles';
import type { Worktrees } from '../../worktrees/worktrees';
import type { UnsentMessages } from '../messages/unsentMessages';
import { refuseDraft } from '../reportErrors';
import type { Attach, MessageAttachments, Chat, IntentPage, IntentSource } from '../window';
import type { AttachmentReader } from './attachmentReader';
import { ChosenFiles } from './chosenFiles';
import type { Mentions } from './mentionSearch';
import { mimeTypeOf } from './mimeType';
import { selectedLines } from './selectionAttachment';
import type { ShellCommand } from './shellCommands';
import { templateKey } from './templateKey';
import type { WorkspaceFileIndex } from './workspaceFileIndex';

/** Searches, selects and reads attachments. */
export class AttachmentService implements MessageAttachments, Disposable {
  readonly #chosenFiles = new ChosenFiles();
  readonly #reader: Lazy<AttachmentReader>;
  readonly #mentions: Lazy<Mentions>;
  readonly #commands = new Lazy(async () => new (await import('./shellCommands')).ShellCommands());

  /** @param paths the files of the workspace */
  constructor(
    private readonly sessions: Sessions,
    catalog: SessionCatalog,
    worktrees: Worktrees,
    private readonly chat: Chat,
    paths: WorkspaceFileIndex,
    private readonly content: ServerContent,
    private readonly unsent: UnsentMessages,
    log: Logger,
  ) {
    this.#reader = new Lazy(async () => {
      const { AttachmentReader } = await import('./attachmentReader');
      return new AttachmentReader(catalog, worktrees, this.#chosenFiles);
    });
    this.#mentions = new Lazy(async () => {
      const { Mentions } = await import('./mentionSearch');
      const commands = (): readonly ShellCommand[] => this.#commands.value?.list() ?? [];
      return new Mentions(paths, content, () => catalog.items().filter(({ isOurs }) => isOurs), commands, log);
    });
  }

  /** Begins to record the commands in terminals. */
  async recordCommands(): Promise<void> {
    await this.#commands.load();
  }

  dispose(): void {
    this.#commands.dispose();
  }

  async find({ session, page }: IntentSource, id: number, query: string): Promise<void> {
    const post = (mentions: readonly Mention[]): void => page.post({ type: 'mentions', id, mentions });
    await (await this.#mentions.load()).find({ query, session, post });
  }

  findCommands({ session }: IntentSource): Promise<void> {
    return this.content.list(session);
  }

  async read(session: Session, attachments: readonly Attachment[]): Promise<readonly Block[]> {
    if (attachments.length === 0) return [];
    for (const one of attachments) this.#check(session, one);
    const reader = await this.#reader.load();
    const blocks: Block[] = [];
    // One after the other: reading may ask.
    for (const one of attachments) {
      if (one.kind === 'resource') {
        const { server, uri } = one;
        for (const block of await this.content.read(session, server, uri)) {
          const attached = { ...block, origin: { server, uri } };
          blocks.push(attached);
        }
      } else blocks.push(await reader.read(one, session));
    }
    return blocks;
  }

  async send(
    { session, page }: IntentSource,
    text: string,
    attachments: readonly Attachment[],
    isUrgent: boolean,
  ): Promise<void> {
    try {
      const [filled, blocks] = await this.unsent.keep(session, text, attachments, async () => {
        const prompt = await this.#fillPrompt(session, text);
        return [prompt, await this.read(session, attachments)] as const;
      });
      await session.send(filled, blocks, { attachments, now: isUrgent });
    } catch (error) {
      refuseDraft({ session, page }, text, attachments, error);
    }
  }

  /** Asks for the arguments that a prompt of a server needs and the text does not have. */
  async #fillPrompt(session: Session, text: string): Promise<string> {
    const found = findServerPrompt(text, this.content.prompts(session), session.state.commands);
    if (!found || found.prompt.arguments.every(({ name }) => name in found.values)) return text;
    const { askArguments, promptCommandText } = await import('./askArguments');
    const values = await askArguments(`/${found.prompt.command}`, found.prompt, found.values);
    if (!values) throw new ParleyError('canceled', t('You did not enter the arguments.'));
    return promptCommandText(found.prompt, values);
  }

  /** Asks for the variables of a resource template. */
  async #fillTemplate({ session, page }: IntentSource, source: string): Promise<void> {
    const key = source.slice(source.indexOf(' ') + 1);
    const template = this.content.resources(session).find((one) => templateKey(one) === key);
    const { askArguments, expandTemplate } = await import('./askArguments');
    const values = template && (await askArguments(template.title, template, {}));
    // Called without values, too: the page waits for an answer and regains the focus.
    if (!values) return attachTo(page)([], []);
    const uri = expandTemplate(template.uri, values);
    await attachTo(page)([{ kind: 'resource', server: template.server, uri, label: uri }], []);
  }

  async attachFrom(from: IntentSource, source: AttachmentSource): Promise<void> {
    if (source.startsWith('template ')) return this.#fillTemplate(from, source);
    const to = attachTo(from.page);
    if (source.startsWith('command ')) {
      const attachment = this.#commands.value?.attachment(Number(source.split(' ')[1]));
      if (attachment) return to([attachment], []);
      return to([], [t('This command is no longer recorded. Its terminal was closed, or newer commands replaced it.')]);
    }
    if (source === 'files') {
      const uris = await vscode.window.showOpenDialog({ canSelectMany: true, openLabel: t('Attach') });
      // Called without a selection, too: the page waits for an answer and regains the focus.
      return this.#attach(uris ?? [], true, to);
    }
    return attachTerminal(to);
  }

  async attachUris({ page }: IntentSource, uris: readonly string[], left: number): Promise<void> {
    const to = attachTo(page);
    const more = t('Could not attach {0} more: the message has reached its attachment limit.', left);
    await this.#attach(
      uris.map((uri) => localUri(vscode.Uri.parse(uri))),
      false,
      (attachments, remarks) => to(attachments, left > 0 ? [...remarks, more] : remarks),
    );
  }

  async addSelection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      void showInformationMessage(t('Open a file and select the text to add to the chat.'));
      return;
    }
    const { uri } = editor.document;
    if (editor.selection.isEmpty) return this.#attach([uri], true, this.chat.attach);
    this.allow(uri);
    await this.chat.attach([selectedLines(editor)], []);
  }

  attachChosen(uris: readonly vscode.Uri[]): Promise<void> {
    return this.#attach(uris, true, this.chat.attach);
  }

  attachTerminal(): Promise<void> {
    return attachTerminal(this.chat.attach);
  }

  /**
   * A link in the workspace that leads out of it is not allowed: the user saw its name only, and is asked when the
   * message is sent.
   */
  allow(uri: vscode.Uri): void {
    if (!vscode.workspace.getWorkspaceFolder(uri)) this.#chosenFiles.add(realUri(uri));
  }

  /** @param isChosen whether the user selected the files outside the page, so that they may be anywhere */
  async #attach(uris: readonly vscode.Uri[], isChosen: boolean, to: Attach): Promise<void> {
    const attachments: Attachment[] = [];
    const remarks: string[] = [];
    for (const uri of uris) {
      try {
        // In the order of selection.
        attachments.push(await this.#attachmentOf(uri, isChosen));
      } catch (error) {
        remarks.push(`${basename(uri.path)}: ${errorMessage(error)}`);
      }
    }
    await to(attachments, remarks);
  }

  async #attachmentOf(uri: vscode.Uri, isChosen: boolean): Promise<Attachment> {
    const label = vscode.workspace.asRelativePath(uri);
    const { type, size } = await vscode.workspace.fs.stat(uri);
    const real = realUri(uri);
    if (isChosen) this.allow(uri);
    if (!this.#chosenFiles.has(uri, real)) await this.#chosenFiles.confirm(real);
    if (type & vscode.FileType.Directory) return { kind: 'folder', uri: uri.toString(), label };
    const mimeType = mimeTypeOf(uri.path);
    if (mimeType === undefined) return { kind: 'file', uri: uri.toString(), label };
    if (size > MAX_DATA) {
      throw new ParleyError(
        'badInput',
        t('the file is {0} MB; the limit is {1} MB', formatFixed(size / 1e6, 1), MAX_DATA / 1e6),
      );
    }
    const data = Buffer.from(await readRealFile(real, MAX_DATA)).toString('base64');
    const attachment = { kind: 'data', label: basename(uri.path), mimeType, data } as const;
    this.#check(this.sessions.active, attachment);
    return attachment;
  }

  /** @throws ParleyError when the agent does not support it */
  #check(session: Session, attachment: Attachment): void {
    if (attachment.kind !== 'data') return;
    const { connection, agent } = session.state;
    const accepts = connection.status === 'ready' ? connection.accepts : undefined;
    const why = unsupportedReason(attachment.mimeType, accepts, agent?.title ?? t('The agent'));
    if (why !== undefined)
      throw new ParleyError('badInput', why, { nextStep: t('Remove the attachment, or select another agent.') });
  }
}

/**
 * A file on this computer. In a remote window, the Explorer gives a page URIs of VS Code's own computer, which name the one of the
 * extension host (`vscode-remote://ssh-remote+host/path`).
 */
function localUri(uri: vscode.Uri): vscode.Uri {
  const isHere = uri.scheme === 'vscode-remote' && uri.authority.split('+')[0] === vscode.env.remoteName;
  return isHere ? uri.with({ scheme: 'file', authority: '' }) : uri;
}

/** What the user has selected in the active terminal, else its last command. */
async function attachTerminal(to: Attach): Promise<void> {
  const { terminalAttachment } = await import('./terminalText');
  const attachment = await terminalAttachment();
  return attachment ? to([attachment], []) : to([], [t('Select text in the terminal first.')]);
}

/** The page that asked, even if a dialog has covered it. */
function attachTo(page: IntentPage): Attach {
  return async (attachments, remarks) => {
    await page.reveal();
    page.post({ type: 'attach', attachments, remarks });
  };
}
