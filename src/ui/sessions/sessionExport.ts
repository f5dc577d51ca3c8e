import { basename } from 'node:path';
import * as vscode from 'vscode';
import { ParleyError } from '../../base/errors';
import { asNumber, isObject } from '../../base/json';
import { locale, t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Redactor } from '../../base/redactor';
import { readSessionFile, writeSessionFile } from '../../history/export/sessionFile';
import { entryMarkdown, sessionMarkdown, turnMarkdown } from '../../history/export/sessionMarkdown';
import { listTitle } from '../../history/sessionSummary';
import { addImported } from '../../session/importedSessions';
import { readConversation } from '../../session/readConversation';
import type { Conversation } from '../../session/readConversation';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Sessions } from '../../session/sessions';
import { formatBytes } from '../../shared/text/formatBytes';
import { offerToOpen } from '../../workbench/offerToOpen';
import { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import { readWorkspaceFile } from '../../workbench/workspaceFiles';
import { inFirstFolder } from '../../workbench/workspaceFolders';
import { writeChosenFile } from '../../workbench/writeChosenFile';
import type { Chat } from '../window';
import { sessionIdOf } from './sessionTarget';

/** Maximum bytes of an imported file: a larger one would block the extension host for seconds, and take gigabytes of memory. */
const MAX_BYTES = 100_000_000;

interface TargetSession {
  readonly id: string;
  readonly conversation: Conversation;
  readonly title: string;
}

/** Exports sessions to files, documents and the clipboard; imports files. */
export class SessionExport implements Disposable {
  readonly #documents = new ReadOnlyDocuments('parley-session');

  /** @param version Parley's version */
  constructor(
    private readonly sessions: Sessions,
    private readonly catalog: SessionCatalog,
    private readonly chat: Chat,
    private readonly redactor: Redactor,
    private readonly version: string,
  ) {}

  /** "Export Session": the file extension selects Markdown or JSON. */
  async exportSession(target: unknown): Promise<void> {
    const { conversation, title } = await this.#targetSession(target);
    const name = `${fileName(title)}.md`;
    const uri = await vscode.window.showSaveDialog({
      title: t('Export Session'),
      defaultUri: inFirstFolder(name) ?? vscode.Uri.file(name),
      filters: { [t('Markdown (for reading)')]: ['md'], [t('JSON (for import)')]: ['json'] },
    });
    if (!uri) return;
    const isJson = uri.path.toLowerCase().endsWith('.json');
    const text = isJson ? this.#json(conversation, title) : this.#markdown(conversation, title);
    await writeChosenFile(uri, Buffer.from(text));
    const sentence = t('The session was exported to {0}. Known secrets are redacted.', basename(uri.path));
    // Not awaited: the notification may stay open.
    void offerToOpen(sentence, uri, t('Open'));
  }

  /** Opens the conversation as a read-only Markdown document. */
  async openAsDocument(target: unknown): Promise<void> {
    const { conversation, title } = await this.#targetSession(target);
    await this.#documents.show(`${fileName(title)}.md`, this.#markdown(conversation, title));
  }

  /**
   * "Import Session".
   * @param target URI of the file; without it the user selects one
   */
  async importSession(target: unknown): Promise<void> {
    const uri = target instanceof vscode.Uri ? target : await askForFile();
    if (!uri) return;
    const name = basename(uri.path);
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > MAX_BYTES) {
      const message = t('{0} is too large ({1}). The limit is {2}.', name, formatBytes(size), formatBytes(MAX_BYTES));
      throw new ParleyError('badInput', message);
    }
    const text = Buffer.from(await readWorkspaceFile(uri, MAX_BYTES)).toString('utf8');
    const { sessions, catalog } = this;
    const id = await addImported(sessions, readSessionFile(text, name), Date.now());
    const shown: Promise<unknown>[] = [];
    await catalog.open(id, (session) => void shown.push(this.chat.open(session)));
    await Promise.all(shown);
  }

  copyEntry(target: unknown): Promise<void> {
    return this.#copy(target, ({ state }, entry) => entryMarkdown(state, entry));
  }

  copyTurn(target: unknown): Promise<void> {
    return this.#copy(target, ({ state }, entry) => turnMarkdown(state, entry));
  }

  /** Copied without redaction: it is the user's own clipboard. */
  async copyConversation(target: unknown): Promise<void> {
    const { conversation, title } = await this.#targetSession(target);
    await vscode.env.clipboard.writeText(sessionMarkdown(conversation.state, title, []));
    vscode.window.setStatusBarMessage(t('The conversation was copied as Markdown.'), 4_000);
  }

  /** Starts a new chat with this read-only session attached. */
  async continueInNewChat(target: unknown): Promise<void> {
    const { id, title } = await this.#targetSession(target);
    const page = await this.chat.current.page.showChat(this.sessions.newSession());
    page.post({ type: 'attach', attachments: [{ kind: 'session', id, label: title }], remarks: [] });
    await page.reveal();
  }

  dispose(): void {
    this.#documents.dispose();
  }

  /** Copies the source text of the entry under the page's context menu, else of the newest entry. */
  async #copy(target: unknown, text: (of: Conversation, entry: number) => string | undefined): Promise<void> {
    const { conversation } = await this.#targetSession(target);
    const last = conversation.state.entries.count - 1;
    const entry = (isObject(target) ? asNumber(target['entry']) : undefined) ?? last;
    const copied = text(conversation, Math.min(entry, last));
    if (copied === undefined) return;
    await vscode.env.clipboard.writeText(copied);
    vscode.window.setStatusBarMessage(t('Copied as Markdown.'), 4_000);
  }

  /** The target session: by id, by tree node, by the page's menu; else the last used one. */
  async #targetSession(target: unknown): Promise<TargetSession> {
    const named = isObject(target) && typeof target['session'] === 'string' ? target['session'] : sessionIdOf(target);
    const id = named ?? this.sessions.active.id;
    const conversation = await readConversation(this.sessions, id);
    if (conversation && conversation.state.entries.count > 0) {
      return { id, conversation, title: this.catalog.item(id)?.title ?? listTitle(conversation.state.title) };
    }
    const item = this.catalog.item(id);
    if (item && !item.isOurs) {
      throw new ParleyError(
        'notFound',
        t('Parley has no messages of this session because only the agent stores them.'),
        {
          nextStep: t('Open the session to load its messages into Parley, then try again.'),
        },
      );
    }
    const text = t('This session has no messages yet.');
    this.chat.current.page.showNotice({ text }, this.sessions.active);
    // Nothing failed.
    throw new ParleyError('canceled', text);
  }

  #json({ state, diff }: Conversation, title: string): string {
    const { redactor, version } = this;
    return writeSessionFile({ state, title, diff }, redactor, version, Date.now());
  }

  #markdown({ state }: Conversation, title: string): string {
    const { agent, folder, usage } = state;
    const about = [
      agent && t('Agent: {0}', agent.title),
      folder !== undefined && t('Folder: {0}', folder),
      usage?.cost && t('Cost: {0} {1}', usage.cost.amount, usage.cost.currency),
      t('Exported: {0}', new Date().toLocaleString(locale())),
    ];
    const lines = about.flatMap((line) => line || []);
    return this.redactor.redact(sessionMarkdown(state, title, lines));
  }
}

async function askForFile(): Promise<vscode.Uri | undefined> {
  const uris = await vscode.window.showOpenDialog({
    title: t('Import Session'),
    openLabel: t('Import'),
    filters: { [t('Sessions')]: ['json'] },
  });
  return uris?.[0];
}

/** A file name for a title, valid on every system. */
function fileName(title: string): string {
  const name = title
    .replaceAll(/[<>:"/\\|?*\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/(?<!\.)\.+$/, '');
  return name.slice(0, 80) || 'session';
}
