import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { Emitter } from '../../../../src/base/event';
import { provideVscode } from '../../../kit/provideVscode';

/** Stub of `vscode` with files on disk and a language server that the test defines. Import it before modules that use `vscode`. */

export class Uri {
  readonly scheme = 'file';
  readonly path: string;
  readonly fsPath: string;

  constructor(fsPath: string) {
    this.fsPath = fsPath;
    this.path = fsPath;
  }

  static readonly file = (path: string): Uri => new Uri(path);
  static readonly from = ({ path }: { path: string }): Uri => new Uri(path);

  toString(): string {
    return `file://${this.fsPath}`;
  }
}

class Position {
  readonly line: number;
  readonly character: number;

  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(line: number, character: number, endLine = line, end = character) {
    this.start = new Position(line, character);
    this.end = new Position(endLine, end);
  }
}

/** Records the order of its parts. */
export class WorkspaceEdit {
  readonly parts: string[] = [];

  set({ fsPath }: Uri): void {
    this.parts.push(`text ${basename(fsPath)}`);
  }

  renameFile({ fsPath }: Uri, to: Uri): void {
    this.parts.push(`rename ${basename(fsPath)} ${basename(to.fsPath)}`);
  }

  deleteFile({ fsPath }: Uri): void {
    this.parts.push(`delete ${basename(fsPath)}`);
  }

  createFile({ fsPath }: Uri): void {
    this.parts.push(`create ${basename(fsPath)}`);
  }
}

/** What the stub answers; the test sets it. */
export const editor = {
  folder: '',
  /** Results of VS Code's commands, or functions for them. */
  answers: new Map<string, unknown>(),
  diagnostics: [] as [Uri, { message: string; range: Range; severity: number }[]][],
  active: undefined as unknown,
  /** The notebook that every path opens; one with the text of the file as its cell if undefined. */
  notebook: undefined as unknown,
  tasks: [] as object[],
  /** Settings by section and key: tasks, launch. */
  settings: new Map<string, unknown>(),
  extensions: [] as object[],
  /** What VS Code has run. */
  started: [] as unknown[],
};

/** Changes of {@link editor}'s notebook. */
export const notebookChanges = new Emitter<object>();

const folders = () => [{ uri: new Uri(editor.folder), name: basename(editor.folder) }];
const never = (): { dispose(): void } => ({ dispose: () => undefined });

function documentOf(uri: Uri) {
  const text = readFileSync(uri.fsPath, 'utf8');
  const lines = text.split('\n');
  return {
    uri,
    isDirty: false,
    languageId: 'json',
    lineCount: lines.length,
    getText: (range?: Range) => (range ? lines.slice(range.start.line, range.end.line + 1).join('\n') : text),
    lineAt: (line: number) => ({ text: lines[line] ?? '', range: new Range(line, 0) }),
    positionAt: () => new Position(0, 0),
  };
}

/** An editor in which the whole file is selected. */
export function showSelected(path: string): void {
  const uri = new Uri(path);
  editor.active = { document: documentOf(uri), selection: new Range(0, 0, 99, 0), visibleRanges: [] };
}

/** As in VS Code, a line. */
export class ShellExecution {
  readonly commandLine: string;
  readonly options: object;

  constructor(commandLine: string, options: object = {}) {
    this.commandLine = commandLine;
    this.options = options;
  }
}

const stub = {
  ShellExecution,
  ProcessExecution: class ProcessExecution extends Range {},
  CustomExecution: class CustomExecution extends Range {},
  Task: class Task extends Range {},
  TaskGroup: { Test: { id: 'test' } },
  TaskScope: { Workspace: 2 },
  TaskRevealKind: { Silent: 2 },
  env: { shell: '/bin/sh' },
  tasks: {
    fetchTasks: async () => editor.tasks,
    executeTask: async (task: unknown) => {
      editor.started.push(task);
      throw new Error('this is a test');
    },
    onDidEndTask: () => ({ dispose: () => undefined }),
    onDidEndTaskProcess: () => ({ dispose: () => undefined }),
  },
  debug: {
    startDebugging: async (_folder: unknown, name: string) => (editor.started.push(name), false),
    activeDebugSession: undefined,
    breakpoints: [],
  },
  lm: { tools: [] },
  Uri,
  WorkspaceEdit,
  Position,
  Range,
  SymbolKind: ['file', 'string'],
  NotebookCellKind: { Markup: 1, Code: 2 },
  TabInputText: Range,
  TabInputTextDiff: Range,
  TabInputTextMultiDiff: Range,
  TextEditorSelectionChangeKind: { Keyboard: 1 },
  commands: {
    executeCommand: async (command: string, ...args: unknown[]) => {
      editor.started.push(command, ...args);
      const answer = editor.answers.get(command);
      return typeof answer === 'function' ? (answer as () => unknown)() : answer;
    },
  },
  languages: { getDiagnostics: () => editor.diagnostics, onDidChangeDiagnostics: never },
  window: {
    get activeTextEditor() {
      return editor.active;
    },
    visibleTextEditors: [],
    visibleNotebookEditors: [],
    tabGroups: { all: [] },
    showNotebookDocument: async () => undefined,
    onDidChangeTextEditorSelection: never,
  },
  extensions: {
    get all() {
      return editor.extensions;
    },
  },
  workspace: {
    textDocuments: [],
    notebookDocuments: [],
    fs: { stat: async () => ({}) },
    getConfiguration: (section?: string) => ({
      get: (key: string) => editor.settings.get(key),
      inspect: (key: string) => ({
        workspaceFolderValue: editor.settings.get(section === undefined ? key : `${section}.${key}`),
      }),
    }),
    get workspaceFolders() {
      return folders();
    },
    getWorkspaceFolder: ({ fsPath }: Uri) => folders().find(({ uri }) => fsPath.startsWith(`${uri.fsPath}/`)),
    asRelativePath: ({ fsPath }: Uri) =>
      fsPath.startsWith(`${editor.folder}/`) ? relative(editor.folder, fsPath) : fsPath,
    openTextDocument: async (uri: Uri) => documentOf(uri),
    openNotebookDocument: async (uri: Uri) => {
      if (editor.notebook) return editor.notebook;
      const document = { ...documentOf(uri), getText: () => readFileSync(uri.fsPath, 'utf8') };
      const cell = { index: 0, kind: 2, document, outputs: [] };
      return { version: 1, cellCount: 1, isDirty: false, getCells: () => [cell], cellAt: () => cell };
    },
    onDidChangeNotebookDocument: notebookChanges.event,
    onDidChangeTextDocument: never,
  },
};

provideVscode(stub);
