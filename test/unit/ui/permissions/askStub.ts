import { provideVscode } from '../../../kit/provideVscode';

/** Stub of the dialogs of `vscode`: records them, and answers from a list. Import it before modules that use `vscode`. */

interface Row {
  readonly label: string;
  readonly description?: string;
  readonly kind?: number;
}

type Asked =
  | { readonly kind: 'pick'; readonly rows: readonly string[] }
  | {
      readonly kind: 'modal' | 'toast';
      readonly message: string;
      readonly detail: string;
      readonly buttons: readonly string[];
    };

export const asked: Asked[] = [];
/** Labels to select, in order; undefined closes the dialog. */
export const answers: (string | undefined | Promise<string | undefined>)[] = [];

/** The members of `vscode.workspace` that are used. */
export const workspace = { isTrusted: true };

export function resetAsked(): void {
  asked.length = 0;
  answers.length = 0;
  workspace.isTrusted = true;
}

async function showQuickPick(items: Promise<readonly (Row | string)[]> | readonly (Row | string)[]): Promise<unknown> {
  const rows = await items;
  const text = (row: Row | string): string =>
    typeof row === 'string' ? row : row.kind === -1 ? `— ${row.label}` : `${row.label} (${row.description ?? ''})`;
  asked.push({ kind: 'pick', rows: rows.map(text) });
  const answer = await answers.shift();
  return rows.find((row) => (typeof row === 'string' ? row : row.label) === answer);
}

async function showMessage(
  message: string,
  ...rest: (string | { modal?: boolean; detail?: string })[]
): Promise<unknown> {
  const options = rest.find((item) => typeof item === 'object') ?? {};
  const buttons = rest.filter((item) => typeof item === 'string');
  asked.push({ kind: options.modal ? 'modal' : 'toast', message, detail: options.detail ?? '', buttons });
  const answer = await answers.shift();
  return buttons.find((button) => button === answer);
}

const stub = {
  workspace,
  QuickPickItemKind: { Separator: -1, Default: 0 },
  ProgressLocation: { Notification: 15 },
  window: {
    showQuickPick,
    showWarningMessage: showMessage,
    showInformationMessage: showMessage,
    showErrorMessage: showMessage,
    withProgress: (_options: unknown, task: (progress: object, token: object) => unknown) =>
      task({ report() {} }, { onCancellationRequested: () => ({ dispose() {} }) }),
  },
};

provideVscode(stub);
