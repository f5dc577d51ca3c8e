import * as vscode from 'vscode';
import { delay } from '../../../base/async';

/** Milliseconds between tries while a language server starts; it answers with nothing until it is up. */
const RETRIES = [200, 400, 800, 1_600, 3_200];

/**
 * Asks the providers of a language feature through VS Code's own command for it. The command is one of ours, never a model's.
 * Tries again while the answer is empty: a server that has just been woken knows nothing yet.
 * @returns undefined or an empty list when no provider has an answer
 */
export async function executeProvider<T>(
  command: `vscode.${string}`,
  args: readonly unknown[],
  signal: AbortSignal,
): Promise<T | undefined> {
  for (const pause of [0, ...RETRIES]) {
    if (pause > 0) await delay(pause, signal);
    const answer = await vscode.commands.executeCommand<T | undefined>(command, ...args);
    if (!isEmpty(answer)) return answer;
  }
  return undefined;
}

function isEmpty(answer: unknown): boolean {
  return answer === undefined || answer === null || (Array.isArray(answer) && answer.length === 0);
}
