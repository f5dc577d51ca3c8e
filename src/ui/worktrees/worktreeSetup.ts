import { once } from 'node:events';
import { settlesWithin } from '../../base/async';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { workspaceScopeValues } from '../../base/settingScopes';
import { escapeInvisible } from '../../base/untrustedText';
import type { ScopedSettingsReader } from '../../session/settings/scopedSettings';
import type { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import { confirmInFull } from '../trust/confirmInFull';
import type { WorkspaceApprovals } from '../trust/workspaceApprovals';

const SUBJECT = 'worktrees.setup';
/** Milliseconds for a command to end. */
const STOP_DEADLINE_MS = 5_000;

interface WorktreeSetupDeps {
  readonly settings: Pick<ScopedSettingsReader<'worktrees.setup'>, 'scoped'>;
  readonly approvals: WorkspaceApprovals;
  readonly documents: ReadOnlyDocuments;
  readonly log: Logger;
  /** Runs a command in a visible terminal until the signal ends it; undefined when the user closed it. */
  readonly run: (command: string, folder: string, signal: AbortSignal) => Promise<number | undefined>;
  /** Called when all commands have succeeded. Never rejects. */
  readonly recordResults: (folder: string) => Promise<void>;
  readonly report: (text: string) => void;
}

/** Runs `parley.worktrees.setup` in new worktrees. Commands of the workspace run only after the user has allowed exactly them. */
export class WorktreeSetup {
  /** By folder. */
  readonly #running = new Map<string, { readonly done: Promise<void>; readonly abort: AbortController }>();
  /** The open questions by commands: the attempts of a race ask once. */
  readonly #confirmations = new Map<string, Promise<boolean>>();

  constructor(private readonly deps: WorktreeSetupDeps) {}

  /** Starts the commands in a new worktree. */
  start(folder: string): void {
    const abort = new AbortController();
    const done = this.#run(folder, abort.signal).catch((error: unknown) =>
      this.deps.log.error('ui', `Failed to set up the worktree ${folder}: ${errorMessage(error)}`),
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
    const commands = await Promise.race([this.#getAllowedCommands(), stopped]);
    for (const command of commands) {
      if (signal.aborted) return;
      // In order, because later commands may need earlier ones.
      const code = await this.deps.run(command, folder, signal);
      if (signal.aborted) return;
      if (code === 0) continue;
      const end = code === undefined ? t('was closed') : t('ended with exit code {0}', code);
      this.deps.report(t('Worktree setup stopped: “{0}” {1}. See the terminal for details.', command, end));
      return;
    }
    if (commands.length > 0) await this.deps.recordResults(folder);
  }

  async #getAllowedCommands(): Promise<readonly string[]> {
    const scopes = this.deps.settings.scoped('worktrees.setup');
    const theirs = workspaceScopeValues(scopes).flat();
    if (theirs.length === 0) return scopes.user;
    const content = JSON.stringify(theirs);
    const decided = this.deps.approvals.decision(SUBJECT, content);
    if (decided !== undefined) return decided === 'allowed' ? [...scopes.user, ...theirs] : scopes.user;
    const confirmation = this.#confirmations.get(content) ?? this.#confirm(theirs, content);
    this.#confirmations.set(content, confirmation);
    return (await confirmation) ? [...scopes.user, ...theirs] : scopes.user;
  }

  async #confirm(theirs: readonly string[], content: string): Promise<boolean> {
    const { approvals, documents } = this.deps;
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
