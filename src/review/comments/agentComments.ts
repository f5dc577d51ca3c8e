import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import { asArray, isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Memento } from '../../base/memento';
import type { Schema } from '../../base/schema';
import { count, list, object, string, tryParse } from '../../base/schema';
import { displayPath } from '../../node/fs/pathLabel';
import type { Sessions } from '../../session/sessions';
import { showInputBox } from '../../workbench/windowMessages';
import { reviewedPath } from '../editor/baselineFiles';
import { BASE_SCHEME } from '../editor/baselineFileSystem';
import type { ReviewChat } from '../editor/reviewCommands';
import { toWarning } from '../editor/reviewMessages';
import { findQuote, quoteOf } from './commentLines';
import type { CommentLines } from './commentLines';
import type { CommentLocation } from './commentLocation';
import { commentMessage } from './commentMessage';
import { AgentComment, AgentCommentThread, rangeOf } from './commentThread';

const MAX_THREADS = 50;

/** Comments to the agent on lines, as VS Code comment threads, until all are sent in one message. */
export class AgentComments implements Disposable {
  readonly #store = new DisposableStore();
  readonly #controller: vscode.CommentController;
  readonly #threads = new Set<AgentCommentThread>();
  readonly #onDidChange = this.#store.add(new Emitter<void>());

  readonly onDidChange = this.#onDidChange.event;

  /** Commands by their names in `src/commands.ts`. */
  readonly commands = {
    commentToAgent: (target?: unknown) => this.#comment(target),
    addComment: async (reply?: unknown) => this.#thenFocusEditor(() => this.#add(reply)),
    sendComments: (reply?: unknown) => this.#send(reply),
    deleteComment: async (target?: unknown) => this.#delete(target),
    editComment: async (target?: unknown) => this.#ofComment(target, (thread, comment) => thread.edit(comment)),
    saveComment: async (target?: unknown) => this.#endEdit(target, true),
    cancelComment: async (target?: unknown) => this.#endEdit(target, false),
  } as const;

  /**
   * @param locate finds the lines that a command names; undefined without a file
   * @param sessions the active one gets the comments
   * @param memory undefined if other windows use the same storage
   */
  constructor(
    private readonly locate: (target: unknown) => CommentLocation | undefined,
    private readonly chat: ReviewChat,
    private readonly sessions: Sessions,
    private readonly memory: Memento | undefined,
  ) {
    this.#controller = this.#store.add(
      vscode.comments.createCommentController('parley.comments', t('Comments to the agent')),
    );
    this.#controller.options = {
      prompt: t('Add another comment…'),
      placeHolder: t('Write to the agent about these lines'),
    };
    for (const { uri, first, last, quote, texts } of memory ? readComments(memory) : []) {
      const { thread } = this.#create({ uri: vscode.Uri.parse(uri), first, last }, quote, texts);
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
    }
    for (const document of vscode.workspace.textDocuments) this.#relocate(document);
    this.#store.add(vscode.workspace.onDidOpenTextDocument((document) => this.#relocate(document)));
    this.#store.add(vscode.workspace.onDidChangeTextDocument((event) => this.#moveWithEdit(event)));
    this.#update();
  }

  /** First lines of the threads with comments; 0-based. */
  linesIn(uri: vscode.Uri): ReadonlySet<number> {
    return new Set(this.#threadsOf(uri).map(({ lines }) => lines.first));
  }

  get count(): number {
    return [...this.#threads].reduce((sum, { comments }) => sum + comments.length, 0);
  }

  dispose(): void {
    this.#store.dispose();
  }

  /**
   * Asks for the text in an input box, which has the focus sooner than VS Code can show a thread: letters typed meanwhile would go into the
   * file.
   */
  async #comment(target: unknown): Promise<void> {
    const location = this.locate(target);
    if (!location) return this.#refuse(t('Open a file and place the cursor on the line to comment on.'));
    const { uri } = location;
    const existing = this.#threadAt(location);
    if (existing ? !existing.canReply : this.#threads.size >= MAX_THREADS) {
      return this.#refuse(t('There are already {0} comments. Send them first.', this.count));
    }
    const typed = showInputBox({
      title: t('Comment to the agent'),
      prompt: this.#placeOf(location),
      placeHolder: t('Write to the agent about these lines'),
      ignoreFocusOut: true,
    });
    const document = await vscode.workspace.openTextDocument(uri);
    const quote = quoteOf(document, location);
    const text = (await typed) ?? '';
    if (text.trim() === '') return;
    // The agent may have changed the file meanwhile.
    const lines = findQuote(document, location, quote);
    const there = this.#threadAt({ uri, ...lines });
    there?.add(text);
    const { thread } = there ?? this.#create({ uri, ...lines }, quote, [text]);
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.#update();
  }

  /** With its comments at once: VS Code opens the input box of a thread that has none. */
  #create(location: CommentLocation, quote: readonly string[], texts: readonly string[]): AgentCommentThread {
    const comments = texts.map((text) => new AgentComment(text));
    const thread = this.#controller.createCommentThread(location.uri, rangeOf(location), comments);
    const { first, last } = location;
    const created = new AgentCommentThread(thread, { first, last }, quote, comments);
    this.#threads.add(created);
    return created;
  }

  #add(reply: unknown): void {
    if (!isObject(reply) || typeof reply['text'] !== 'string') return;
    const { text, thread } = reply;
    [...this.#threads].find((each) => each.thread === thread)?.add(text);
    this.#update();
  }

  /** @param reply text that is being typed in a thread; sent with the comments */
  async #send(reply: unknown): Promise<void> {
    this.#add(reply);
    const sent = [...this.#threads].toSorted(
      (a, b) => compare(a.uri.path, b.uri.path) || a.lines.first - b.lines.first,
    );
    if (sent.length === 0) return this.#warn(t('There are no comments to send.'));
    // Opens changed files, because the lines of a comment are found again when its file is opened.
    for (const { uri } of sent) await Promise.resolve(vscode.workspace.openTextDocument(uri)).catch(() => undefined);
    const message = commentMessage(
      sent.map(({ uri, lines, quote, comments }) => ({
        place: this.#placeOf({ uri, ...lines }),
        lineCount: lines.last - lines.first + 1,
        isBaseline: uri.scheme === BASE_SCHEME,
        quote,
        texts: comments.map(({ saved }) => saved),
      })),
    );
    await this.chat.compose(message);
    for (const thread of sent) this.#remove(thread);
    this.#update();
  }

  #endEdit(target: unknown, isKept: boolean): Promise<void> {
    return this.#thenFocusEditor(() => this.#ofComment(target, (thread, comment) => thread.endEdit(comment, isKept)));
  }

  /** The key of the command has taken the focus from the editor. */
  #refuse(text: string): Promise<void> {
    return this.#thenFocusEditor(() => this.#warn(text));
  }

  /** VS Code removes the input box that has the focus, and then nothing has it. */
  async #thenFocusEditor(act: () => void): Promise<void> {
    act();
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  }

  #delete(target: unknown): void {
    if (target instanceof AgentComment) this.#ofComment(target, (thread, comment) => thread.remove(comment));
    else for (const each of this.#threads) if (each.thread === target) this.#remove(each);
    this.#update();
  }

  #ofComment(comment: unknown, act: (thread: AgentCommentThread, comment: AgentComment) => void): void {
    for (const each of this.#threads) {
      if (!(comment instanceof AgentComment) || !each.comments.includes(comment)) continue;
      act(each, comment);
      if (each.comments.length === 0) this.#remove(each);
    }
    this.#update();
  }

  /** File and lines, as an agent reads them: relative to the folder of its session, 1-based. */
  #placeOf({ uri, first, last }: CommentLocation): string {
    const path = displayPath(reviewedPath(uri) ?? uri.fsPath, [this.sessions.active.cwd]);
    return `${path}:${first === last ? first + 1 : `${first + 1}-${last + 1}`}`;
  }

  #threadAt({ uri, last }: CommentLocation): AgentCommentThread | undefined {
    return this.#threadsOf(uri).find(({ lines }) => lines.last === last);
  }

  #threadsOf(uri: vscode.Uri): readonly AgentCommentThread[] {
    const name = uri.toString();
    return [...this.#threads].filter((each) => each.uri.toString() === name);
  }

  #remove(each: AgentCommentThread): void {
    this.#threads.delete(each);
    each.thread.dispose();
  }

  #relocate(document: vscode.TextDocument): void {
    const threads = this.#threadsOf(document.uri);
    for (const each of threads) each.relocate(document);
    if (threads.length > 0) this.#onDidChange.fire();
  }

  #moveWithEdit(event: vscode.TextDocumentChangeEvent): void {
    const threads = event.contentChanges.length > 0 ? this.#threadsOf(event.document.uri) : [];
    for (const each of threads) each.moveWithEdit(event);
    if (threads.length > 0) this.#onDidChange.fire();
  }

  #update(): void {
    void vscode.commands.executeCommand('setContext', 'parley.hasComments', this.#threads.size > 0);
    if (this.memory) writeComments(this.memory, [...this.#threads].map(storedOf));
    this.#onDidChange.fire();
  }

  #warn(text: string): void {
    this.chat.showNotice(toWarning(text));
  }
}

function storedOf({ uri, lines, quote, comments }: AgentCommentThread): StoredComments {
  return { uri: uri.toString(), ...lines, quote, texts: comments.map(({ saved }) => saved) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The comments on some lines, as stored for the next window. */
interface StoredComments extends CommentLines {
  readonly uri: string;
  readonly quote: readonly string[];
  readonly texts: readonly string[];
}

const KEY = 'parley.comments';

const stored: Schema<StoredComments> = object<StoredComments>({
  uri: string,
  first: count,
  last: count,
  quote: list(string),
  texts: list(string),
});

/** Reads the unsent comments, without those that another version stored in another form. */
function readComments(memory: Memento): readonly StoredComments[] {
  return asArray(memory.get(KEY)).flatMap((one) => {
    const parsed = tryParse(stored, one);
    return 'value' in parsed ? parsed.value : [];
  });
}

function writeComments(memory: Memento, all: readonly StoredComments[]): void {
  void memory.update(KEY, all.length > 0 ? all : undefined);
}
