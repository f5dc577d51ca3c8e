import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Uri as FileUri } from 'vscode';
import { Emitter } from '../../src/base/event';
import { provideVscode } from '../kit/provideVscode';
import { standIn } from '../kit/stubOf';

/** Stub of `vscode` for workspace trust and settings. Import it before modules that use `vscode`. */

/** Settings by key without the prefix. */
export const written: { user: Record<string, unknown>; workspace: Record<string, unknown> } = {
  user: {},
  workspace: {},
};
/** Messages that were shown. */
export const shown: string[] = [];
export const granted = new Emitter<void>();

class Uri {
  readonly scheme = 'file';
  readonly fsPath: string;

  constructor(fsPath: string) {
    this.fsPath = fsPath;
  }

  static file(path: string): Uri {
    return new Uri(path);
  }

  static joinPath({ fsPath }: Uri, ...parts: string[]): Uri {
    return new Uri(join(fsPath, ...parts));
  }

  toString(): string {
    return `file://${this.fsPath}`;
  }
}

class FileSystemError extends Error {
  readonly code = 'FileNotFound';
}

const nothing = (): { dispose(): void } => ({ dispose: () => undefined });
const orGone = async <T>(found: Promise<T>): Promise<T> =>
  found.catch((error: unknown) => {
    throw new FileSystemError(String(error));
  });

export const workspace = {
  isTrusted: false,
  workspaceFolders: [] as { name: string; uri: Uri }[],
  workspaceFile: undefined,
  getConfiguration: (section: string) => ({
    get: () => undefined,
    inspect: (key: string) =>
      section === 'parley' ? { globalValue: written.user[key], workspaceValue: written.workspace[key] } : undefined,
  }),
  onDidChangeConfiguration: nothing,
  onDidChangeWorkspaceFolders: nothing,
  onDidGrantWorkspaceTrust: granted.event,
  createFileSystemWatcher: () => ({
    onDidCreate: nothing,
    onDidChange: nothing,
    onDidDelete: nothing,
    dispose: () => undefined,
  }),
  fs: {
    stat: ({ fsPath }: Uri) => orGone(stat(fsPath)),
    readFile: ({ fsPath }: Uri) => orGone(readFile(fsPath)),
    readDirectory: async ({ fsPath }: Uri) => (await orGone(readdir(fsPath))).map((name) => [name, 1]),
  },
};

/** Opens an untrusted folder. */
export function openFolder(folder: string): void {
  workspace.isTrusted = false;
  workspace.workspaceFolders = [{ name: 'app', uri: Uri.file(folder) }];
  shown.length = 0;
}

/** The user trusts the folder. */
export function trust(): void {
  workspace.isTrusted = true;
  granted.fire();
}

export function uriOf(path: string): FileUri {
  return standIn(Uri.file(path));
}

const show = async (message: string): Promise<undefined> => {
  shown.push(message);
  return undefined;
};

export const env: { remoteName: string | undefined } = { remoteName: undefined };

const stub = {
  env,
  workspace,
  Uri,
  FileSystemError,
  RelativePattern: Object,
  FileType: { File: 1 },
  StatusBarAlignment: { Left: 1, Right: 2 },
  commands: { executeCommand: async () => undefined, registerCommand: nothing },
  window: {
    createStatusBarItem: () => ({ show: () => undefined, hide: () => undefined, dispose: () => undefined }),
    showWarningMessage: show,
    showInformationMessage: show,
    showErrorMessage: show,
  },
};

provideVscode(stub);
