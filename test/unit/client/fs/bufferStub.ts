import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { Emitter } from '../../../../src/base/event';
import { provideVscode } from '../../../kit/provideVscode';

/** Stub of `vscode` with one text buffer. Import it before modules that use `vscode`. */

interface Edit {
  readonly document: OpenBuffer;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const TextEditorSelectionChangeKind = { Keyboard: 1 } as const;

const selected = new Emitter<{ readonly textEditor: { readonly document: OpenBuffer }; readonly kind: number }>();
const changed = new Emitter<{ readonly document: OpenBuffer; readonly contentChanges: readonly unknown[] }>();

/** What the user does at certain moments of a write; each runs once. */
export const moments: { beforeApply?: () => void; afterApply?: () => void; duringSave?: () => void } = {};

function reached(moment: keyof typeof moments): void {
  const act = moments[moment];
  delete moments[moment];
  act?.();
}

/** A file that is open in a text editor. */
export class OpenBuffer {
  readonly uri: { readonly scheme: 'file'; readonly fsPath: string };
  readonly encoding = 'utf8';
  readonly eol = 1;
  readonly isClosed = false;
  isDirty = false;
  version = 1;
  /** Time and size of the file when it was last read or saved. */
  known: { readonly mtimeMs: number; readonly size: number };
  #text: string;

  constructor(fsPath: string) {
    this.uri = { scheme: 'file', fsPath };
    this.known = statSync(fsPath);
    this.#text = readFileSync(fsPath, 'utf8');
  }

  getText(): string {
    return this.#text;
  }

  positionAt(offset: number): number {
    return offset;
  }

  replace(from: number, to: number, text: string): void {
    this.#text = this.#text.slice(0, from) + text + this.#text.slice(to);
    this.version++;
    this.isDirty = true;
    changed.fire({ document: this, contentChanges: [{}] });
  }

  /** The user adds text at the end. */
  type(text: string): void {
    this.replace(this.#text.length, this.#text.length, text);
    selected.fire({ textEditor: { document: this }, kind: TextEditorSelectionChangeKind.Keyboard });
  }

  /** VS Code rejects a save if the file has a later time, another size and another text. */
  async save(): Promise<boolean> {
    const { mtimeMs, size } = statSync(this.uri.fsPath);
    const isNewer = mtimeMs > this.known.mtimeMs && size !== this.known.size;
    if (isNewer && readFileSync(this.uri.fsPath, 'utf8') !== this.#text) return false;
    writeFileSync(this.uri.fsPath, this.#text);
    this.known = statSync(this.uri.fsPath);
    this.isDirty = false;
    reached('duringSave');
    return true;
  }
}

export const open: OpenBuffer[] = [];

class WorkspaceEdit {
  readonly edits: Edit[] = [];

  replace({ fsPath }: { fsPath: string }, { from, to }: Range, text: string): void {
    const document = open.find(({ uri }) => uri.fsPath === fsPath);
    if (document) this.edits.push({ document, from, to, text });
  }
}

class Range {
  readonly from: number;
  readonly to: number;

  constructor(from: number, to: number) {
    this.from = from;
    this.to = to;
  }
}

/** VS Code rejects an edit of a document that has changed since. */
async function applyEdit({ edits }: WorkspaceEdit): Promise<boolean> {
  const versions = edits.map(({ document }) => document.version);
  reached('beforeApply');
  if (edits.some(({ document }, at) => document.version !== versions[at])) return false;
  for (const { document, from, to, text } of edits) document.replace(from, to, text);
  reached('afterApply');
  return true;
}

class TabInputNotebook {
  readonly uri: { readonly fsPath: string };
  readonly notebookType = 'jupyter-notebook';

  constructor(fsPath: string) {
    this.uri = { fsPath };
  }
}

export class TabInputNotebookDiff {
  readonly original: object;
  readonly modified: object;
  readonly notebookType = 'jupyter-notebook';

  constructor(original: string, modified: string) {
    this.original = { scheme: 'git', fsPath: original };
    this.modified = { scheme: 'file', fsPath: modified };
  }
}

/** The tabs of the window. */
export const tabs: { readonly input: TabInputNotebook | TabInputNotebookDiff; readonly isDirty: boolean }[] = [];
/** Notebooks that are loaded, in any view. */
export const notebooks: { readonly uri: object; readonly isDirty: boolean; readonly notebookType: string }[] = [];

/** Opens a notebook editor. */
export function openNotebook(fsPath: string, isDirty: boolean): void {
  tabs.push({ input: new TabInputNotebook(fsPath), isDirty });
}

const window = {
  tabGroups: { all: [{ tabs }], close: async () => true },
  onDidChangeTextEditorSelection: selected.event,
};

const stub = {
  Range,
  WorkspaceEdit,
  TextEditorSelectionChangeKind,
  EndOfLine: { LF: 1, CRLF: 2 },
  TabInputNotebook,
  TabInputNotebookDiff,
  TabInputCustom: Range,
  TabInputText: Range,
  Uri: { file: (fsPath: string) => ({ scheme: 'file', fsPath }) },
  window,
  workspace: {
    textDocuments: open,
    notebookDocuments: notebooks,
    applyEdit,
    encode: async (text: string) => Buffer.from(text),
    decode: async (bytes: Uint8Array) => Buffer.from(bytes).toString(),
    openTextDocument: async ({ fsPath }: { fsPath: string }) => open.find(({ uri }) => uri.fsPath === fsPath),
    onDidChangeTextDocument: changed.event,
  },
};

provideVscode(stub);
