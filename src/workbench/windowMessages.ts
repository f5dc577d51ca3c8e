import * as vscode from 'vscode';
import { escapeMarkdownLinks } from '../base/untrustedText';

/**
 * VS Code's notifications, modal messages, progress and input boxes, with text that nobody has to trust: VS Code makes links of Markdown in these texts,
 * and a link can run a command. Names of files, agents and servers, and texts of errors come from others. All of `src` uses these instead
 * of `vscode.window`; a test keeps it.
 */

type ShowMessage = typeof vscode.window.showInformationMessage;
type MessageKind = 'showInformationMessage' | 'showWarningMessage' | 'showErrorMessage';

/** As `vscode.window.showInformationMessage`; links in the texts are shown as written. */
export const showInformationMessage = safeMessage('showInformationMessage');
/** As `vscode.window.showWarningMessage`; links in the texts are shown as written. */
export const showWarningMessage = safeMessage('showWarningMessage');
/** As `vscode.window.showErrorMessage`; links in the texts are shown as written. */
export const showErrorMessage = safeMessage('showErrorMessage');

/** As `vscode.window.withProgress`; links in the title and in reports are shown as written. */
export function withProgress<T>(
  options: vscode.ProgressOptions,
  task: (
    progress: vscode.Progress<{ message?: string; increment?: number }>,
    token: vscode.CancellationToken,
  ) => Thenable<T>,
): Thenable<T> {
  const { title } = options;
  const safe = title === undefined ? options : { ...options, title: escapeMarkdownLinks(title) };
  return vscode.window.withProgress(safe, (progress, token) => {
    const report: typeof progress.report = ({ message, ...rest }) =>
      progress.report({ ...rest, ...(message !== undefined && { message: escapeMarkdownLinks(message) }) });
    return task({ report }, token);
  });
}

/** A notification with the progress of a task that the user can cancel. */
export function withCancellableProgress<T>(
  title: string,
  task: (signal: AbortSignal, progress: Parameters<Parameters<typeof withProgress>[1]>[0]) => Promise<T>,
): Thenable<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return withProgress(options, async (progress, token) => {
    const abort = new AbortController();
    const subscription = token.onCancellationRequested(() => abort.abort());
    try {
      return await task(abort.signal, progress);
    } finally {
      subscription.dispose();
    }
  });
}

/** As `vscode.window.showInputBox`; links in the prompt and in validation messages are shown as written. */
export function showInputBox(
  options: vscode.InputBoxOptions,
  token?: vscode.CancellationToken,
): Thenable<string | undefined> {
  const { prompt } = options;
  return vscode.window.showInputBox(
    {
      ...options,
      ...(prompt !== undefined && { prompt: escapeMarkdownLinks(prompt) }),
      ...(options.validateInput && {
        validateInput: (text: string) => {
          const validation = options.validateInput?.(text);
          return isThenable(validation) ? validation.then(safeValidation) : safeValidation(validation);
        },
      }),
    },
    token,
  );
}

type Validation = string | vscode.InputBoxValidationMessage | undefined | null;

function isThenable(value: unknown): value is Thenable<Validation> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

function safeValidation(validation: Validation): Validation {
  if (typeof validation === 'string') return escapeMarkdownLinks(validation);
  return validation && { ...validation, message: escapeMarkdownLinks(validation.message) };
}

function safeMessage(kind: MessageKind): ShowMessage {
  return ((message: string, ...rest: readonly unknown[]) => {
    const [options, ...items] = rest;
    const show = vscode.window[kind] as (message: string, ...rest: readonly unknown[]) => unknown;
    return show(escapeMarkdownLinks(message), ...(hasDetail(options) ? [withSafeDetail(options), ...items] : rest));
  }) as ShowMessage;
}

function hasDetail(options: unknown): options is { readonly detail: string } {
  return typeof options === 'object' && options !== null && 'detail' in options && typeof options.detail === 'string';
}

function withSafeDetail(options: { readonly detail: string }): { readonly detail: string } {
  return { ...options, detail: escapeMarkdownLinks(options.detail) };
}
