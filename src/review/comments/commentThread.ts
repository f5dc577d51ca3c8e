import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import type { CommentLines } from './commentLines';
import { afterEdit, findQuote, isWithin, quoteOf } from './commentLines';

/** Maximum UTF-16 units of one comment. */
const MAX_TEXT = 10_000;
const MAX_COMMENTS = 20;

/** One comment; VS Code shows and edits it. */
export class AgentComment implements vscode.Comment {
  readonly author = { name: t('You') };
  /** VS Code sets the typed text before it calls Save or Cancel. */
  body: string;
  mode = vscode.CommentMode.Preview;
  saved: string;
  readonly timestamp = new Date();

  constructor(text: string) {
    this.saved = truncate(text, MAX_TEXT);
    this.body = this.saved;
  }
}

/** Comments on some lines of a document. */
export class AgentCommentThread {
  readonly thread: vscode.CommentThread;
  #lines: CommentLines;
  #quote: readonly string[];
  #comments: readonly AgentComment[];

  /** @param comments as the thread was created with */
  constructor(
    thread: vscode.CommentThread,
    lines: CommentLines,
    quote: readonly string[],
    comments: readonly AgentComment[],
  ) {
    this.thread = thread;
    this.#lines = lines;
    this.#quote = quote;
    this.#comments = comments;
    thread.label = t('Comment to the agent');
  }

  get uri(): vscode.Uri {
    return this.thread.uri;
  }

  get lines(): CommentLines {
    return this.#lines;
  }

  /** The text of the lines. */
  get quote(): readonly string[] {
    return this.#quote;
  }

  get comments(): readonly AgentComment[] {
    return this.#comments;
  }

  /** False: no more comments fit. */
  get canReply(): boolean {
    return this.#comments.length < MAX_COMMENTS;
  }

  add(text: string): void {
    if (text.trim() === '') return;
    this.#show([...this.#comments, new AgentComment(text)]);
  }

  remove(comment: AgentComment): void {
    this.#show(this.#comments.filter((each) => each !== comment));
  }

  edit(comment: AgentComment): void {
    comment.mode = vscode.CommentMode.Editing;
    this.#show([...this.#comments]);
  }

  /** @param isKept false discards the typed text */
  endEdit(comment: AgentComment, isKept: boolean): void {
    if (isKept && comment.body.trim() !== '') comment.saved = truncate(comment.body, MAX_TEXT);
    comment.body = comment.saved;
    comment.mode = vscode.CommentMode.Preview;
    this.#show([...this.#comments]);
  }

  /** Moves the lines with a change of the document. */
  moveWithEdit({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    // The changes are ordered from the end of the document.
    let lines = this.#lines;
    let isSame = true;
    for (const change of contentChanges) {
      const moved = afterEdit(lines, change);
      if (isWithin(lines, change)) isSame = false;
      lines = moved;
    }
    if (isSame) this.#move(findQuote(document, lines, this.#quote));
    else this.#move(lines, quoteOf(document, lines));
  }

  /** Finds the lines again after the document may have changed while it was closed. */
  relocate(document: vscode.TextDocument): void {
    this.#move(findQuote(document, this.#lines, this.#quote));
  }

  #move(lines: CommentLines, quote = this.#quote): void {
    this.#quote = quote;
    if (lines.first === this.#lines.first && lines.last === this.#lines.last) return;
    this.#lines = lines;
    this.thread.range = rangeOf(lines);
  }

  #show(comments: readonly AgentComment[]): void {
    this.#comments = comments;
    this.thread.comments = comments;
    this.thread.canReply = this.canReply;
  }
}

export function rangeOf({ first, last }: CommentLines): vscode.Range {
  return new vscode.Range(first, 0, last, 0);
}
