import * as vscode from 'vscode';
import { t } from '../../base/l10n';

/** Runs a command as a task, whose terminal stays open. Undefined when the user or the signal ended it. */
export async function runSetupTask(command: string, folder: string, signal: AbortSignal): Promise<number | undefined> {
  const execution = new vscode.ShellExecution(command, { cwd: folder });
  const task = new vscode.Task(
    { type: 'parley' },
    vscode.TaskScope.Workspace,
    t('Worktree Setup'),
    'Parley',
    execution,
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent, panel: vscode.TaskPanelKind.Dedicated };
  const codes = new Map<vscode.TaskExecution, number | undefined>();
  let onEnd: () => void = () => undefined;
  const ends = [
    vscode.tasks.onDidEndTaskProcess(({ execution: ended, exitCode }) => codes.set(ended, exitCode)),
    vscode.tasks.onDidEndTask(({ execution: ended }) => {
      if (!codes.has(ended)) codes.set(ended, undefined);
      onEnd();
    }),
  ];
  try {
    const started = await vscode.tasks.executeTask(task);
    signal.addEventListener('abort', () => started.terminate());
    if (signal.aborted) started.terminate();
    await new Promise<void>((resolve) => {
      onEnd = () => codes.has(started) && resolve();
      onEnd();
    });
    return codes.get(started);
  } finally {
    for (const end of ends) end.dispose();
  }
}
