import * as vscode from 'vscode';
import type { TerminalLaunch } from '../../agent/connection/authMethods';
import { CanceledError } from '../../base/errors';
import { DisposableStore } from '../../base/lifecycle';

/**
 * Runs a sign-in command in a focused terminal, in which the user types. Resolves with its exit code; undefined when
 * the terminal was closed before the command ended.
 * @throws CanceledError when the signal aborts; the terminal is closed
 */
export function runInTerminal(launch: TerminalLaunch, signal: AbortSignal): Promise<number | undefined> {
  if (signal.aborted) return Promise.reject(new CanceledError());
  const store = new DisposableStore();
  const done = new Promise<number | undefined>((resolve, reject) => {
    const terminal = vscode.window.createTerminal({
      name: launch.title,
      shellPath: launch.command,
      shellArgs: [...launch.args],
      // Adds to VS Code's variables: its BROWSER opens the sign-in page on the user's machine.
      env: { ...launch.env },
      ...(launch.cwd !== undefined && { cwd: launch.cwd }),
      iconPath: new vscode.ThemeIcon('key'),
      isTransient: true,
    });
    store.add(
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed !== terminal) return;
        const { code, reason } = closed.exitStatus ?? {};
        resolve(reason === vscode.TerminalExitReason.User ? undefined : code);
      }),
    );
    const cancel = (): void => {
      reject(new CanceledError());
      terminal.dispose();
    };
    signal.addEventListener('abort', cancel, { once: true });
    store.defer(() => signal.removeEventListener('abort', cancel));
    terminal.show();
  });
  return done.finally(() => store.dispose());
}
