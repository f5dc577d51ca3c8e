import { Emitter } from '../../src/base/event';
import { provideVscode } from '../kit/provideVscode';

/** Stub of `vscode` for a whole window: without folders, editors and settings. Import it before modules that use `vscode`. */

/** A stub with every member, which can be called and constructed and returns itself. */
export const anything: unknown = new Proxy(Object, {
  get: (_target, key) => (key === 'then' ? undefined : key === Symbol.toPrimitive ? () => '' : anything),
  set: () => true,
  apply: () => anything,
  construct: () => anything as object,
});

interface FileUri {
  readonly scheme: string;
  readonly fsPath: string;
}

export const fileUri = (fsPath: string): FileUri => ({ scheme: 'file', fsPath });

/** The members that have no value in such a window, or one that matters. */
const EMPTY = {
  window: { activeTextEditor: undefined, visibleTextEditors: [], tabGroups: { all: [], activeTabGroup: { tabs: [] } } },
  workspace: {
    workspaceFolders: undefined,
    textDocuments: [],
    notebookDocuments: [],
    isTrusted: true,
    getConfiguration: () => ({ get: () => undefined, inspect: () => undefined }),
  },
  env: { remoteName: undefined },
  Uri: { file: fileUri, joinPath: ({ fsPath }: FileUri, ...names: string[]) => fileUri([fsPath, ...names].join('/')) },
  EventEmitter: Emitter,
};

/** The given members, and {@link anything} for all others. */
function withAnything(members: object): object {
  return new Proxy(members, {
    get: (target, key) => {
      if (!(key in target)) return key === 'then' ? undefined : anything;
      const value: unknown = Reflect.get(target, key);
      const isNested = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isNested ? withAnything(value) : value;
    },
  });
}

// A bundle copies the own members of a module, and keeps its prototype.
provideVscode(Object.create(withAnything(EMPTY)) as object);
