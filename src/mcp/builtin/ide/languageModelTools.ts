import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors';

/** Implemented by `vscode.lm`. */
export type LanguageModelTools = Pick<typeof vscode.lm, 'tools' | 'invokeTool'>;

/**
 * Calls a tool outside any VS Code chat.
 * @param signal becomes the tool's cancellation token
 */
export async function invokeLanguageModelTool(
  tools: LanguageModelTools,
  name: string,
  input: object,
  signal: AbortSignal,
): Promise<vscode.LanguageModelToolResult> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await tools.invokeTool(name, { input, toolInvocationToken: undefined }, source.token);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}

export function languageModelText({ content }: vscode.LanguageModelToolResult): string {
  return content
    .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
    .filter((text) => text !== '')
    .join('\n');
}

/** Error text for a model. */
export function toolErrorReason(error: unknown): string {
  return errorMessage(error).replace(/\.$/, '');
}
