import * as vscode from 'vscode';
import { settlesWithin } from '../../base/async';
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
import { reviewedPath } from '../editor/baselineFiles';
import { BASE_SCHEME } from '../editor/baselineFileSystem';
import type { ReviewChat } from '../editor/reviewCommands';
import { toWarning } from '../editor/reviewMessages';
import { quoteOf } from './commentLines';
import type { CommentLines } from './commentLines';
import type { CommentLocation } from './commentLocation';
import { commentMessage } from './commentMessage';
import { AgentComment, AgentCommentThread, rangeOf } from './commentThread';

const MAX_THREADS = 50;

/** Maximum number of threads without comments that are tracked. */
const MAX_DRAFTS = 10;

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
    addComment: async (reply?: unknown) => this.#add(reply),
    sendComments: (reply?: unknown) => this.#send(reply),
    deleteComment: async (target?: unknown) => this.#delete(target),
    editComment: async (target?: unknown) => this.#ofComment(target, (thread, comment) => thread.edit(comment)),
    saveComment: async (target?: unknown) =>
      this.#ofComment(target, (thread, comment) => thread.endEdit(comment, true)),
    cancelComment: async (target?: unknown) =>
      this.#ofComment(target, (thread, comment) => thread.endEdit(comment, false)),
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
      const thread = this.#create({ uri: vscode.Uri.parse(uri), first, last }, quote);
      thread.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
      for (const text of texts) thread.add(text);
    }
    for (const document of vscode.workspace.textDocuments) this.#relocate(document);
    this.#store.add(vscode.workspace.onDidOpenTextDocument((document) => this.#relocate(document)));
    this.#store.add(vscode.workspace.onDidChangeTextDocument((event) => this.#moveWithEdit(event)));
    this.#update();
  }

  /** First lines of the threads with comments; 0-based. */
  linesIn(uri: vscode.Uri): ReadonlySet<number> {
    const written = this.#threadsOf(uri).filter(({ comments }) => comments.length > 0);
    return new Set(written.map(({ lines }) => lines.first));
  }

  get count(): number {
    return [...this.#threads].reduce((sum, { comments }) => sum + comments.length, 0);
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #comment(target: unknown): Promise<void> {
    const location = this.locate(target);
    if (!location) return this.#warn(t('Open a file and place the cursor on the line to comment on.'));
    const { uri, last } = location;
    const existing = this.#threadsOf(uri).find((each) => each.comments.length > 0 && each.lines.last === last);
    if (existing) return openThread(existing);
    if (this.#threadsWithText().length >= MAX_THREADS) {
      return this.#warn(t('There are already {0} comments. Send them first.', this.count));
    }
    const document = await vscode.workspace.openTextDocument(uri);
    const created = await createWithBox(() => this.#create(location, quoteOf(document, location)));
    this.#forgetDrafts();
    await openThread(created);
  }

  #create(location: CommentLocation, quote: readonly string[]): AgentCommentThread {
    const thread = this.#controller.createCommentThread(location.uri, rangeOf(location), []);
    const { first, last } = location;
    const created = new AgentCommentThread(thread, { first, last }, quote);
    this.#threads.add(created);
    return created;
  }

  /** Drops the oldest drafts, because VS Code deletes a closed draft without an event. */
  #forgetDrafts(): void {
    const drafts = [...this.#threads].filter(({ comments }) => comments.length === 0);
    for (const draft of drafts.slice(0, Math.max(0, drafts.length - MAX_DRAFTS))) this.#threads.delete(draft);
  }

  #add(reply: unknown): void {
    const target = asReply(reply);
    if (!target) return;
    this.#ofThread(target.thread).add(target.text);
    this.#update();
  }

  /** @param reply text that is being typed in a thread; sent with the comments */
  async #send(reply: unknown): Promise<void> {
    this.#add(reply);
    const sent = this.#threadsWithText().toSorted(
      (a, b) => compare(a.uri.path, b.uri.path) || a.lines.first - b.lines.first,
    );
    if (sent.length === 0) return this.#warn(t('There are no comments to send.'));
    // Opens changed files, because the lines of a comment are found again when its file is opened.
    for (const { uri } of sent) await Promise.resolve(vscode.workspace.openTextDocument(uri)).catch(() => undefined);
    const cwd = this.sessions.active.cwd;
    const message = commentMessage(
      sent.map(({ uri, lines, quote, comments }) => ({
        path: displayPath(reviewedPath(uri) ?? uri.fsPath, [cwd]),
        first: lines.first + 1,
        last: lines.last + 1,
        isBaseline: uri.scheme === BASE_SCHEME,
        quote,
        texts: comments.map(({ saved }) => saved),
      })),
    );
    await this.chat.compose(message);
    for (const thread of sent) this.#remove(thread);
    this.#update();
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

  /** Undefined for a draft that was dropped. */
  #ofThread(thread: vscode.CommentThread): AgentCommentThread {
    const existing = [...this.#threads].find((each) => each.thread === thread);
    if (existing) return existing;
    const { start, end } = thread.range ?? rangeOf({ first: 0, last: 0 });
    const adopted = new AgentCommentThread(thread, { first: start.line, last: end.line }, []);
    this.#threads.add(adopted);
    for (const document of vscode.workspace.textDocuments) adopted.quoteFrom(document);
    return adopted;
  }

  #threadsOf(uri: vscode.Uri): readonly AgentCommentThread[] {
    const name = uri.toString();
    return [...this.#threads].filter((each) => each.uri.toString() === name);
  }

  #threadsWithText(): readonly AgentCommentThread[] {
    return [...this.#threads].filter(({ comments }) => comments.length > 0);
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
    const written = this.#threadsWithText();
    void vscode.commands.executeCommand('setContext', 'parley.hasComments', written.length > 0);
    if (this.memory) writeComments(this.memory, written.map(storedOf));
    this.#onDidChange.fire();
  }

  #warn(text: string): void {
    this.chat.showNotice(toWarning(text));
  }
}

function storedOf({ uri, lines, quote, comments }: AgentCommentThread): StoredComments {
  return { uri: uri.toString(), ...lines, quote, texts: comments.map(({ saved }) => saved) };
}

function asReply(reply: unknown): vscode.CommentReply | undefined {
  if (!isObject(reply) || typeof reply['text'] !== 'string' || !isObject(reply['thread'])) return undefined;
  return reply as unknown as vscode.CommentReply;
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

/** URI scheme of VS Code's comment input boxes. */
const BOX_SCHEME = 'comment';

/** Milliseconds for VS Code to create the input box: a window that has just opened is slow. */
const CREATED_WITHIN_MS = 15_000;

/**
 * Creates a thread and waits until VS Code has its input box, which is not visible yet. VS Code cannot focus a box that is not there, and
 * reports that as an error.
 */
async function createWithBox(create: () => AgentCommentThread): Promise<AgentCommentThread> {
  const store = new DisposableStore();
  const hasBox = new Promise<void>((resolve) => {
    store.add(
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        if (uri.scheme === BOX_SCHEME) resolve();
      }),
    );
  });
  const created = create();
  await settlesWithin(hasBox, CREATED_WITHIN_MS);
  store.dispose();
  return created;
}

/**
 * Expands a thread, with the cursor in its input box if it is in the active editor. The API has no function for that. Commands of VS Code
 * expand the thread and move the focus at once: in a box that is visible before, the first letters typed would go into the file.
 */
async function openThread({ uri, lines, thread }: AgentCommentThread): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.toString() !== uri.toString()) {
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return;
  }
  const { end } = editor.document.lineAt(Math.min(lines.last, editor.document.lineCount - 1)).range;
  // `focusCommentOnCurrentLine` finds the thread by the end of the selection.
  if (editor.selection.end.line !== end.line) editor.selection = new vscode.Selection(end, end);
  // Both are sent before the first one is answered: the widget that has the focus in between ignores keys.
  await Promise.all([
    vscode.commands.executeCommand('workbench.action.focusCommentOnCurrentLine'),
    vscode.commands.executeCommand('widgetNavigation.focusNext'),
  ]);
}
