import * as vscode from 'vscode';
import { delay } from '../../../base/async';

/** Milliseconds between tries: a starting language server returns empty results. */
const RETRIES = [200, 400, 800, 1_600, 3_200];

/**
 * Runs a language feature by a fixed VS Code command; a model cannot name commands. Retries while the result is empty.
 * @returns undefined or an empty list when no provider has a result
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
