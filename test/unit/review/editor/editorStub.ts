import { readFileSync, writeFileSync } from 'node:fs';
import { Emitter } from '../../../../src/base/event';
import { provideVscode } from '../../../kit/provideVscode';

/** Stub of `vscode` for buffers and dialogs. Import it before modules that use `vscode`. */

/** Dialogs and messages shown, and the response: the first of the answers, or nothing. */
export const dialogs: {
  readonly asked: string[];
  answers: ((...buttons: readonly string[]) => string | undefined | Promise<string>)[];
} = {
  asked: [],
  answers: [],
};

/** Of a document: the number of characters before it. */
interface Position {
  readonly offset: number;
}

class Range {
  readonly from: number;
  readonly end: number;
  readonly unit: RegExp;

  /** Of lines and columns, or of two positions. */
  constructor(from: number | Position, fromColumn: number | Position, end = fromColumn, _endColumn = 0) {
    this.from = typeof from === 'number' ? from : from.offset;
    this.end = typeof end === 'number' ? end : end.offset;
    this.unit = typeof from === 'number' ? /(?<=\n)/ : /(?:)/;
  }
}

class WorkspaceEdit {
  readonly changes: { readonly range: Range; readonly text: string }[] = [];

  get size(): number {
    return this.changes.length;
  }

  replace(_uri: unknown, range: Range, text: string): void {
    this.changes.push({ range, text });
  }
}

/** Fires the save events of VS Code. */
export const saveEvents = {
  will: new Emitter<{ document: OpenFile; waitUntil(promise: Promise<unknown>): void }>(),
  did: new Emitter<OpenFile>(),
};

interface SelectionChange {
  readonly textEditor: { readonly document: OpenFile };
  readonly kind: number | undefined;
}

const selectionEvents = new Emitter<SelectionChange>();

interface TextChange {
  readonly document: OpenFile;
  readonly contentChanges: readonly { readonly range: object; readonly text: string }[];
  readonly reason?: number;
}

const textEvents = new Emitter<TextChange>();

/** The user presses an arrow key. */
export function moveCursor(document: OpenFile): void {
  selectionEvents.fire({ textEditor: { document }, kind: stub.TextEditorSelectionChangeKind.Keyboard });
}

/**
 * The file has another text, unsaved.
 * @param change what VS Code reports of it; by default, that it is not made at the cursor
 */
export function changeText(
  document: OpenFile,
  text: string,
  change: { readonly isAtCursor?: boolean; readonly inserted?: string; readonly reason?: number } = {},
): void {
  const { isAtCursor = false, inserted = text, reason } = change;
  document.text = text;
  document.isDirty = true;
  const range = { isSingleLine: true, contains: () => isAtCursor };
  textEvents.fire({
    document,
    contentChanges: [{ range, text: inserted }],
    ...(reason !== undefined && { reason }),
  });
}

/** The user types: the file has the text, unsaved. */
export function type(document: OpenFile, text: string): void {
  changeText(document, text);
  moveCursor(document);
}

/** A file open in the editor. */
export class OpenFile {
  readonly uri: { readonly scheme: 'file'; readonly fsPath: string; toString(): string };
  readonly encoding = 'utf8';
  readonly isClosed = false;
  isDirty = false;
  text: string;
  /** What VS Code writes when it saves; undefined: the buffer's content. */
  saves: string | undefined;

  constructor(fsPath: string) {
    this.uri = { scheme: 'file', fsPath, toString: () => fsPath };
    this.text = readFileSync(fsPath, 'utf8');
  }

  getText(): string {
    return this.text;
  }

  validateRange(range: Range): Range {
    return range;
  }

  edit({ changes }: WorkspaceEdit): void {
    for (const { range, text } of changes.toReversed()) {
      const parts = this.text.split(range.unit);
      parts.splice(range.from, range.end - range.from, text);
      this.text = parts.join('');
    }
    this.isDirty = true;
  }

  positionAt(offset: number): Position {
    return { offset };
  }

  /** VS Code saves a text that a newer file has already. */
  async saveOverNewer(): Promise<boolean> {
    const isSaved = readFileSync(this.uri.fsPath, 'utf8') === this.text;
    this.isDirty &&= !isSaved;
    return isSaved;
  }

  async save(): Promise<boolean> {
    writeFileSync(this.uri.fsPath, this.saves ?? this.text);
    this.isDirty = this.saves !== undefined;
    return !this.isDirty;
  }
}

export const open: OpenFile[] = [];

const ask = async (question: string, ...more: unknown[]): Promise<string | undefined> => {
  const detail = (more[0] as { readonly detail?: string } | undefined)?.detail;
  dialogs.asked.push(detail === undefined ? question : `${question}\n${detail}`);
  return dialogs.answers.shift()?.(...more.filter((item) => typeof item === 'string'));
};

/** The user presses Enter. */
export const pressEnter = (first: string): string => first;

/** The editor of a file. */
export class TabInputText {
  constructor(readonly uri: { toString(): string }) {}
}

/** A tab of the window; only a multi-file diff has no input. */
export interface Tab {
  readonly label: string;
  readonly input: TabInputText | undefined;
}

export const tabs: Tab[] = [];
/** Of the commands that were run. */
export const commandIds: string[] = [];
/** The files of the last diff editor. */
export const shownFiles: string[] = [];
/** The queries of their baselines. */
export const shownBases: (string | undefined)[] = [];

async function executeCommand(
  id: string,
  title: string | Uri | undefined,
  files: readonly (readonly (Uri | undefined)[])[],
): Promise<void> {
  commandIds.push(id);
  if (id === 'vscode.diff' && typeof title === 'object') {
    shownFiles.splice(0, Infinity, title.fsPath);
    shownBases.splice(0, Infinity, title.query);
  }
  if (id !== 'vscode.changes' || typeof title !== 'string') return;
  shownFiles.splice(0, shownFiles.length, ...files.map(([file]) => file?.fsPath ?? ''));
  shownBases.splice(0, shownBases.length, ...files.map(([, base]) => base?.query));
  tabs.push({ label: `${title} (${files.length} files)`, input: undefined });
}

interface Uri {
  readonly scheme: string;
  readonly fsPath: string;
  readonly query: string;
}

function uriOf(
  fsPath: string,
  scheme = 'file',
  query = '',
): Uri & { with(more: Partial<Uri>): object; toString(): string } {
  return {
    scheme,
    fsPath,
    query,
    with: (more) => uriOf(more.fsPath ?? fsPath, more.scheme ?? scheme, more.query ?? query),
    toString: () => fsPath,
  };
}

const stub = {
  Range,
  MarkdownString: String,
  WorkspaceEdit,
  TabInputNotebook: Range,
  TabInputNotebookDiff: Range,
  TabInputCustom: Range,
  TabInputText,
  TabInputTextDiff: WorkspaceEdit,
  ViewColumn: { Active: -1 },
  EndOfLine: { LF: 1, CRLF: 2 },
  TextEditorSelectionChangeKind: { Keyboard: 1 },
  Uri: {
    file: uriOf,
  },
  commands: { executeCommand },
  window: {
    tabGroups: {
      all: [{ tabs }],
      activeTabGroup: {
        get activeTab() {
          return tabs[0];
        },
      },
      close: async (closed: readonly Tab[]) => {
        for (const tab of closed) tabs.splice(tabs.indexOf(tab), 1);
      },
    },
    onDidChangeTextEditorSelection: selectionEvents.event,
    get visibleTextEditors() {
      return open.map((document) => ({ document, selections: [{ active: {} }] }));
    },
    activeTextEditor: undefined as { readonly document: OpenFile } | undefined,
    showTextDocument: async (document: OpenFile) => {
      stub.window.activeTextEditor = { document };
    },
    setStatusBarMessage: () => undefined,
    showWarningMessage: ask,
    showInformationMessage: ask,
  },
  workspace: {
    textDocuments: open,
    notebookDocuments: [],
    fs: { readFile: async ({ fsPath }: Uri) => readFileSync(fsPath) },
    asRelativePath: (path: string) => path,
    openTextDocument: async ({ fsPath }: Uri) => open.find((file) => file.uri.fsPath === fsPath),
    decode: async (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8'),
    encode: async (text: string) => Buffer.from(text),
    onWillSaveTextDocument: saveEvents.will.event,
    onDidSaveTextDocument: saveEvents.did.event,
    onDidChangeTextDocument: textEvents.event,
    applyEdit: async (edit: WorkspaceEdit) => {
      for (const file of open) file.edit(edit);
      return true;
    },
  },
};

/** `vscode.workspace`, for tests that need more of it. */
export const workspaceStub: object = stub.workspace;

provideVscode(stub);
