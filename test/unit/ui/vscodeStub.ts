import { Emitter } from '../../../src/base/event';
import { provideVscode } from '../../kit/provideVscode';
import { settled } from '../../kit/waiting';

/** Stub of `vscode` outside VS Code: records what is shown, and lets a test respond. Import it before modules that use `vscode`. */

interface Toast {
  readonly message: string;
  readonly buttons: readonly { readonly title: string }[];
  /** Clicks the button of this title, or closes the toast. */
  choose(title?: string): Promise<void>;
}

interface Pick {
  readonly title: string;
  readonly placeholder: string;
  readonly labels: readonly string[];
  /** Of `showQuickPick`. */
  readonly details?: readonly (string | undefined)[];
  readonly busy?: boolean;
  /** Labels of the active rows. */
  readonly active?: readonly string[];
  /** The rows: `label | description | detail`, a group as `— name`. */
  readonly rows?: readonly string[];
  /** Types a text. @param isHeard the extension knows it already */
  type?(text: string, isHeard?: boolean): void;
  /** Presses the first button of the item with this description. */
  press?(description: string): Promise<void>;
  /** Presses Enter on the first item with this label, and this description if given, or on a later one of them. */
  accept(label: string, description?: string, later?: number): void;
  hide(): void;
}

export const toasts: Toast[] = [];
export const picks: Pick[] = [];

interface Input {
  readonly options: {
    readonly title?: string;
    readonly prompt?: string;
    readonly password?: boolean;
    readonly validateInput?: (text: string) => unknown;
  };
  /** Enters a text, or closes the input box. */
  accept(text: string | undefined): void;
}

export const inputs: Input[] = [];

/** Copied texts. */
export const copied: string[] = [];
/** What each created terminal was asked to do. */
export const terminals: string[] = [];

/** The diagnostics of the editor. */
export const diagnostics: [file: object, problems: readonly object[]][] = [];

/** Executed commands of VS Code. */
export const commands: string[] = [];
/** The window's state and its listeners. */
export const windowState = { focused: true, listeners: [] as ((state: { focused: boolean }) => void)[] };

/** Focuses the window, or removes the focus. */
export function setFocused(focused: boolean): void {
  windowState.focused = focused;
  for (const listener of windowState.listeners) listener({ focused });
}

export function resetStub(): void {
  commands.length = 0;
  copied.length = 0;
  terminals.length = 0;
  windowState.listeners.length = 0;
  windowState.focused = true;
  inputs.length = 0;
  toasts.length = 0;
  picks.length = 0;
}

function showMessage(message: string, ...given: (string | { title?: string })[]): Promise<unknown> {
  const titleOf = (one: string | { title?: string }): string | undefined => (typeof one === 'string' ? one : one.title);
  const buttons = given.flatMap((one) => (titleOf(one) === undefined ? [] : { title: titleOf(one) ?? '' }));
  return new Promise((resolve) => {
    const choose = async (title?: string): Promise<void> => {
      resolve(title === undefined ? undefined : given.find((one) => titleOf(one) === title));
      await settled();
    };
    toasts.push({ message, buttons, choose });
  });
}

interface Row {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly kind?: number;
  readonly buttons?: readonly unknown[];
}

function listenTo(list: ((event: unknown) => void)[]) {
  return (listener: (event: unknown) => void) => {
    list.push(listener);
    return { dispose() {} };
  };
}

function createQuickPick() {
  const accepted: (() => void)[] = [];
  const hidden: (() => void)[] = [];
  const listen = (list: (() => void)[]) => (listener: () => void) => {
    list.push(listener);
    return { dispose() {} };
  };
  const pressed: ((event: unknown) => void)[] = [];
  const moved: ((event: unknown) => void)[] = [];
  let [items, active, typed]: [Row[], Row[], string] = [[], [], ''];
  /** As VS Code does with the text that it shows, which the extension may not have heard of yet. */
  const setActive = (rows: Row[]): void => {
    const isShown = ({ kind, label, description = '' }: Row): boolean =>
      kind !== -1 && `${label} ${description}`.toLowerCase().includes(typed.toLowerCase());
    active = rows === items ? items.filter(isShown).slice(0, 1) : rows.filter(isShown);
    for (const listener of moved) listener(active);
  };
  const list = {
    get items() {
      return items;
    },
    set items(rows: Row[]) {
      items = rows;
      setActive(items);
    },
    get activeItems() {
      return active;
    },
    set activeItems(rows: Row[]) {
      setActive(rows);
    },
    onDidChangeActive: listenTo(moved),
    value: '',
    selectedItems: [] as { label: string }[],
    title: '',
    placeholder: '',
    onDidAccept: listen(accepted),
    onDidHide: listen(hidden),
    onDidTriggerItemButton: listenTo(pressed),
    busy: false,
    hide() {
      for (const listener of hidden) listener();
    },
    show() {
      picks.push({
        title: list.title,
        placeholder: list.placeholder,
        get labels() {
          return list.items.map(({ label }) => label);
        },
        get busy() {
          return list.busy;
        },
        get active() {
          return list.activeItems.map(({ label }) => label);
        },
        get rows() {
          return list.items.map(({ kind, label, description, detail }) =>
            kind === -1 ? `— ${label}` : [label, description, detail].filter((part) => part !== undefined).join(' | '),
          );
        },
        type(text, isHeard = true) {
          typed = text;
          if (!isHeard) return;
          list.value = text;
          setActive(items);
        },
        async press(description) {
          const item = list.items.find((row) => row.description === description);
          for (const listener of pressed) listener({ item, button: item?.buttons?.[0] });
          await settled();
        },
        accept(label, description, later = 0) {
          const isMeant = (item: Row): boolean => description === undefined || item.description === description;
          list.selectedItems = list.items.filter((item) => item.label === label && isMeant(item)).slice(later);
          for (const listener of accepted) listener();
        },
        hide() {
          for (const listener of hidden) listener();
        },
      });
    },
    dispose() {},
  };
  return list;
}

class CancellationTokenSource {
  readonly #ended = new AbortController();
  readonly token = this.#ended.signal;
  cancel(): void {
    this.#ended.abort();
  }
  dispose(): void {}
}

/** An input box whose token is canceled closes without a value. */
function showInputBox(options: Input['options'], token?: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    inputs.push({ options, accept: resolve });
    token?.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function showQuickPick(
  items: { label: string; detail?: string }[],
  options: { title: string; placeHolder: string; canPickMany?: boolean },
): Promise<unknown> {
  return new Promise((resolve) => {
    picks.push({
      title: options.title,
      placeholder: options.placeHolder,
      labels: items.map(({ label }) => label),
      details: items.map(({ detail }) => detail),
      accept: (label) => {
        const chosen = items.find((item) => item.label === label);
        resolve(options.canPickMany ? [chosen] : chosen);
      },
      hide: () => resolve(undefined),
    });
  });
}

/** A modal message has its options where other messages have the first button. */
function showWarningMessage(message: string, ...rest: unknown[]): Promise<unknown> {
  const buttons = rest.flatMap((item) => {
    if (typeof item === 'string') return [{ title: item }];
    return typeof item === 'object' && item !== null && 'title' in item ? [item as { title: string }] : [];
  });
  const words = rest.some((item) => typeof item === 'string');
  return showMessage(message, ...buttons).then((chosen) => (words ? (chosen as { title?: string })?.title : chosen));
}

/** The module itself; a test may add to it. */
export const stub = {
  ProgressLocation: { Notification: 15 },
  InputBoxValidationSeverity: { Info: 1 },
  workspace: { isTrusted: true, notebookDocuments: [] },
  extensions: { getExtension: (): unknown => undefined },
  DiagnosticSeverity: { Error: 0, Warning: 1 },
  FileType: { File: 1, Directory: 2 },
  languages: { onDidChangeDiagnostics: () => ({ dispose() {} }), getDiagnostics: () => diagnostics },
  QuickPickItemKind: { Separator: -1, Default: 0 },
  ThemeIcon: class {
    readonly id: string;
    constructor(id: string) {
      this.id = id;
    }
  },
  ThemeColor: Object,
  LanguageModelTextPart: class {
    readonly value: string;
    constructor(value: string) {
      this.value = value;
    }
  },
  lm: { invokeTool: (name: string): Promise<object> => Promise.reject(new Error(`no tool ${name}`)) },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  TreeItem: class {
    readonly label: string;
    constructor(label: string) {
      this.label = label;
    }
  },
  window: {
    showWarningMessage,
    showInformationMessage: showMessage,
    showErrorMessage: showMessage,
    createQuickPick,
    createTerminal: ({ name, cwd }: { readonly name: string; readonly cwd: string }) => {
      const note = (text: string): void => void terminals.push(text);
      note(`${name} in ${cwd}`);
      return { show: () => note('shown'), sendText: (text: string) => note(text) };
    },
    showQuickPick,
    showInputBox,
    tabGroups: { all: [], close: async () => true },
    withProgress: (_options: unknown, job: () => unknown) => job(),
    state: windowState,
    onDidChangeWindowState(listener: (state: { focused: boolean }) => void) {
      windowState.listeners.push(listener);
      return { dispose: () => windowState.listeners.splice(windowState.listeners.indexOf(listener), 1) };
    },
  },
  commands: { executeCommand: async (id: string) => void commands.push(id) },
  env: { clipboard: { writeText: async (text: string) => void copied.push(text) } },
  CancellationTokenSource,
  EventEmitter: Emitter,
  Uri: { file: (fsPath: string) => ({ scheme: 'file', fsPath }), joinPath: (uri: object) => uri },
  EndOfLine: { LF: 1, CRLF: 2 },
  TextEditorSelectionChangeKind: { Keyboard: 1 },
  Range: Map,
  RelativePattern: Object,
  WorkspaceEdit: Map,
  TabInputText: Map,
  TabInputWebview: Map,
  TabInputCustom: Map,
  TabInputNotebook: Map,
  TabInputNotebookDiff: Map,
};

provideVscode(stub);
