import { Emitter } from '../../../../src/base/event';
import { provideVscode } from '../../../kit/provideVscode';

/** Stub of `vscode` for comment threads and documents. Import it before modules that use `vscode`. */

class Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };

  constructor(line: number, character: number, endLine: number, endCharacter: number) {
    this.start = { line, character };
    this.end = { line: endLine, character: endCharacter };
  }
}

export interface StubUri {
  readonly scheme: string;
  readonly path: string;
  readonly fsPath: string;
  toString(): string;
}

export function uriOf(path: string, scheme = 'file'): StubUri {
  return { scheme, path, fsPath: path, toString: () => `${scheme}:${path}` };
}

export interface StubThread {
  readonly uri: StubUri;
  range: Range;
  comments: readonly { body: string; mode: number }[];
  canReply: boolean;
  isDisposed: boolean;
}

/** The input box: what it asks, and what is typed. */
export const inputBox = { show: (_prompt?: string): Promise<string | undefined> => Promise.resolve(undefined) };

/** Every created thread. */
export const threads: StubThread[] = [];

/** Lines by URI, of documents that can be opened. */
export const texts = new Map<string, readonly string[]>();

export function documentOf(uri: StubUri): unknown {
  const lines = texts.get(uri.toString());
  if (!lines) throw new Error(`${uri.path} does not exist`);
  return { uri, lineCount: lines.length, lineAt: (line: number) => ({ text: lines[line] }) };
}

export const events = { opened: new Emitter<unknown>(), changed: new Emitter<unknown>() };
/** Values of context keys. */
export const contextKeys = new Map<string, unknown>();

function createThread(uri: StubUri, range: Range, comments: StubThread['comments']): StubThread {
  const thread = { uri, range, comments, canReply: true, isDisposed: false };
  threads.push(Object.assign(thread, { dispose: () => (thread.isDisposed = true) }));
  return thread;
}

const stub = {
  Range,
  CommentMode: { Editing: 0, Preview: 1 },
  CommentThreadCollapsibleState: { Collapsed: 0, Expanded: 1 },
  Uri: { parse: (text: string) => uriOf(text.slice(text.indexOf(':') + 1), text.slice(0, text.indexOf(':'))) },
  comments: { createCommentController: () => ({ createCommentThread: createThread, dispose: () => undefined }) },
  commands: {
    executeCommand: async (_command: string, key = '', value?: unknown) => void contextKeys.set(key, value),
  },
  window: { showInputBox: (options: { prompt?: string }) => inputBox.show(options.prompt) },
  workspace: {
    textDocuments: [],
    openTextDocument: async (uri: StubUri) => {
      const document = documentOf(uri);
      events.opened.fire(document);
      return document;
    },
    onDidOpenTextDocument: events.opened.event,
    onDidChangeTextDocument: events.changed.event,
  },
};

provideVscode(stub);
