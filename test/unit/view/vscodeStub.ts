import Module from 'node:module';

/** Stands in for `vscode` outside VS Code: records what is shown, and lets a test choose. Import it before what uses `vscode`. */

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
  /** Presses Enter on the item with this label. */
  accept(label: string): void;
  hide(): void;
}

export const toasts: Toast[] = [];
export const picks: Pick[] = [];

export function resetStub(): void {
  toasts.length = 0;
  picks.length = 0;
}

function showMessage(message: string, ...buttons: { title: string }[]): Promise<unknown> {
  return new Promise((resolve) => {
    const choose = async (title?: string): Promise<void> => {
      resolve(buttons.find((button) => button.title === title));
      await new Promise((done) => setImmediate(done));
    };
    toasts.push({ message, buttons, choose });
  });
}

function createQuickPick() {
  const accepted: (() => void)[] = [];
  const hidden: (() => void)[] = [];
  const listen = (list: (() => void)[]) => (listener: () => void) => {
    list.push(listener);
    return { dispose() {} };
  };
  const list = {
    items: [] as { label: string }[],
    selectedItems: [] as { label: string }[],
    title: '',
    placeholder: '',
    onDidAccept: listen(accepted),
    onDidHide: listen(hidden),
    show() {
      picks.push({
        title: list.title,
        placeholder: list.placeholder,
        labels: list.items.map(({ label }) => label),
        accept(label) {
          list.selectedItems = list.items.filter((item) => item.label === label);
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

const stub = { window: { showWarningMessage: showMessage, showInformationMessage: showMessage, createQuickPick } };

const loader = Module as unknown as { _load(id: string, ...rest: unknown[]): unknown };
const load = loader._load.bind(loader);
loader._load = (id, ...rest) => (id === 'vscode' ? stub : load(id, ...rest));
