import { once } from 'node:events';
import * as vscode from 'vscode';
import { settlesWithin } from '../../base/async';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { workspaceScopeValues } from '../../base/settingScopes';
import { escapeInvisible } from '../../base/untrustedText';
import type { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import type { Worktrees } from '../../worktrees/worktrees';
import { confirmInFull } from '../trust/confirmInFull';
import type { WorkspaceApprovals } from '../trust/workspaceApprovals';
import type { Notices, WorktreeSettings } from '../window';

const SUBJECT = 'worktrees.setup';
/** Milliseconds for a command to end. */
const STOP_DEADLINE_MS = 5_000;

/** Runs `parley.worktrees.setup` in new worktrees. */
export class WorktreeSetup {
  /** By folder. */
  readonly #running = new Map<string, { readonly done: Promise<void>; readonly abort: AbortController }>();

  /** @param run runs a command in a visible terminal until the signal ends it; undefined when the user closed it */
  constructor(
    private readonly commands: SetupCommands,
    private readonly worktrees: Worktrees,
    private readonly notices: Notices,
    private readonly log: Logger,
    private readonly run = runSetupTask,
  ) {}

  /** Starts the commands in a new worktree. */
  start(folder: string): void {
    const abort = new AbortController();
    const done = this.#run(folder, abort.signal).catch((error: unknown) =>
      this.log.error('ui', `Failed to set up the worktree ${folder}: ${errorMessage(error)}`),
    );
    this.#running.set(folder, { done, abort });
    void done.finally(() => this.#running.delete(folder));
  }

  isRunning(folder: string): boolean {
    return this.#running.has(folder);
  }

  /** Settles when the setup of a folder has ended, well or not. Never rejects. */
  async ready(folder: string): Promise<void> {
    await this.#running.get(folder)?.done;
  }

  /** Ends the command that runs in a folder; the others do not start. Never rejects. */
  async stop(folder: string): Promise<void> {
    this.#running.get(folder)?.abort.abort();
    await settlesWithin(this.ready(folder), STOP_DEADLINE_MS);
  }

  async #run(folder: string, signal: AbortSignal): Promise<void> {
    // The question may stay open for long.
    const stopped = once(signal, 'abort').then(() => []);
    const commands = await Promise.race([this.commands.getAllowed(), stopped]);
    for (const command of commands) {
      if (signal.aborted) return;
      // In order, because later commands may need earlier ones.
      const code = await this.run(command, folder, signal);
      if (signal.aborted) return;
      if (code === 0) continue;
      const end = code === undefined ? t('was closed') : t('ended with exit code {0}', code);
      const text = t('Worktree setup stopped: “{0}” {1}. See the terminal for details.', command, end);
      this.notices.show({ text, isWarning: true });
      return;
    }
    const record = commands.length > 0 ? this.worktrees.around(folder) : undefined;
    if (record) await this.worktrees.recordSetup(record.id);
  }
}

/** The commands of `parley.worktrees.setup`; those of the workspace only after the user has allowed exactly them. */
export class SetupCommands {
  /** The open questions by commands: the attempts of a race ask once. */
  readonly #confirmations = new Map<string, Promise<boolean>>();

  constructor(
    private readonly settings: WorktreeSettings,
    private readonly approvals: WorkspaceApprovals,
    private readonly documents: ReadOnlyDocuments,
  ) {}

  async getAllowed(): Promise<readonly string[]> {
    const scopes = this.settings.scoped('worktrees.setup');
    const theirs = workspaceScopeValues(scopes).flat();
    if (theirs.length === 0) return scopes.user;
    const content = JSON.stringify(theirs);
    const decided = this.approvals.decision(SUBJECT, content);
    if (decided !== undefined) return decided === 'allowed' ? [...scopes.user, ...theirs] : scopes.user;
    const confirmation = this.#confirmations.get(content) ?? this.#confirm(theirs, content);
    this.#confirmations.set(content, confirmation);
    return (await confirmation) ? [...scopes.user, ...theirs] : scopes.user;
  }

  async #confirm(theirs: readonly string[], content: string): Promise<boolean> {
    const { approvals, documents } = this;
    try {
      const isAllowed = await confirmInFull(documents, {
        message: t('This workspace defines commands to run in new worktrees. Allow these commands?'),
        lines: theirs.map(escapeInvisible),
        notes: [t('The commands run in a terminal, with your permissions.')],
        isChanged: approvals.isKnown(SUBJECT),
        yes: t('Allow'),
        no: t('Don’t Allow'),
        tab: t('Worktree setup commands'),
      });
      await approvals.store(SUBJECT, content, isAllowed ? 'allowed' : 'refused');
      return isAllowed;
    } finally {
      this.#confirmations.delete(content);
    }
  }
}

/** Runs a command as a task, whose terminal stays open. Undefined when the user or the signal ended it. */
async function runSetupTask(command: string, folder: string, signal: AbortSignal): Promise<number | undefined> {
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
