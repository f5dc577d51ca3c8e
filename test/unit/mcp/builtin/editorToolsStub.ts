import { basename } from 'node:path';
import { provideVscode } from '../../../kit/provideVscode';

/** Stub of `vscode` for commands and language model tools. Import it before modules that use `vscode`. */

/** Executed commands, with their arguments. */
export const ran: unknown[][] = [];

class CancellationTokenSource {
  readonly token = {};
  cancel(): void {
    ran.push(['canceled']);
  }
  dispose(): void {
    this.cancel = () => undefined;
  }
}

class Part {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

/** Of one file; ranges are from offset to offset. */
export class WorkspaceEdit {
  readonly changes: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  uri: object | undefined;

  get size(): number {
    return this.uri ? 1 : 0;
  }

  entries(): [object, object[]][] {
    return this.uri ? [[this.uri, this.changes]] : [];
  }

  /** As VS Code: also of files that are moved, of which there are none here. */
  _allEntries(): object[] {
    return this.changes.map(() => ({ _type: 2 }));
  }

  set(uri: object, edits: readonly { start: number; end: number; text: string }[]): void {
    this.uri = uri;
    this.changes.push(...edits);
  }

  renameFile(): void {
    // Only the plan is looked at.
  }

  replace(uri: object, { start, end }: { start: number; end: number }, text: string): void {
    this.uri = uri;
    this.changes.push({ start, end, text });
  }
}

class Range {
  readonly start: number;
  readonly end: number;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

/** Absolute paths of the open folders. */
export const workspaceFolders: string[] = [];
const toUri = (fsPath: string): { scheme: string; fsPath: string; toString(): string } => ({
  scheme: 'file',
  fsPath,
  toString: () => `file://${fsPath}`,
});

/** Nobody types. */
const never = (): { dispose(): void } => ({ dispose: () => undefined });

const stub = {
  TextEditorSelectionChangeKind: { Keyboard: 1 },
  window: { onDidChangeTextEditorSelection: never },
  Uri: { file: toUri },
  WorkspaceEdit,
  Range,
  CancellationTokenSource,
  LanguageModelTextPart: Part,
  LanguageModelDataPart: Map,
  LanguageModelPromptTsxPart: Set,
  commands: { executeCommand: async (...args: unknown[]) => void ran.push(args) },
  workspace: {
    textDocuments: [],
    get workspaceFolders() {
      return workspaceFolders.map((folder) => ({ uri: toUri(folder), name: basename(folder) }));
    },
    // As in VS Code: paths are compared unchanged, including dots and links.
    getWorkspaceFolder: ({ fsPath }: { fsPath: string }) =>
      workspaceFolders.find((folder) => fsPath === folder || fsPath.startsWith(`${folder}/`)),
    onDidChangeTextDocument: never,
    applyEdit: async () => true,
    openTextDocument: async ({ fsPath }: { fsPath: string }) => Promise.reject(new Error(`${fsPath} does not exist.`)),
    asRelativePath: (uri: { fsPath: string }) => uri.fsPath,
  },
};

provideVscode(stub);
