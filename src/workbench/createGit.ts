import * as vscode from 'vscode';
import { Git } from '../node/gitCommand';

/**
 * Git as the user has set it up; it runs only in a trusted workspace.
 * @param folder absolute; for empty files that replace the user's configuration
 */
export function createGit(folder: string): Git {
  // The user's own value only: a workspace must not name a program, and VS Code restricts this setting only with its git extension.
  const program = vscode.workspace.getConfiguration('git').inspect<string | string[] | null>('path')?.globalValue;
  const first = Array.isArray(program) ? program[0] : program;
  return new Git(first || 'git', folder, () => vscode.workspace.isTrusted);
}
