import * as vscode from 'vscode';
import { systemClock } from '../base/clock';
import { Lazy } from '../base/lazy';
import type { Disposable } from '../base/lifecycle';
import { toDisposable } from '../base/lifecycle';
import { isFolderInWorkspace } from '../workbench/workspaceFolders';
import { KeepAwake } from './keepAwake';
import type { Window } from './window';

/** Does nothing in a remote window and in a browser: this process does not run on the user's computer. */
export function registerKeepAwake({ sessions, settings, log }: Window): Disposable {
  const { remoteName, uiKind } = vscode.env;
  if (remoteName !== undefined || uiKind !== vscode.UIKind.Desktop) return toDisposable(() => undefined);
  const program = new Lazy(async () => {
    const { AwakeProgram, awakeCommand } = await import('./awakeProgram');
    const command = awakeCommand(process.platform, process.env['SystemRoot']);
    return new AwakeProgram(command, process.env, isFolderInWorkspace, log);
  });
  const hold = async (signal: AbortSignal): Promise<void> => (await program.load()).hold(signal);
  return new KeepAwake(sessions, settings, hold, systemClock);
}
