import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import type { SettingScopes } from '../../base/settingScopes';
import { workspaceScopeValues } from '../../base/settingScopes';
import { escapeInvisible } from '../../base/untrustedText';
import type { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import { confirmInFull } from '../trust/confirmInFull';
import type { WorkspaceApprovals } from '../trust/workspaceApprovals';

const SUBJECT = 'worktrees.setup';

export interface WorktreeSetupDeps {
  /** `parley.worktrees.setup` by scope. */
  readonly commands: () => SettingScopes<readonly string[]>;
  readonly approvals: WorkspaceApprovals;
  readonly documents: ReadOnlyDocuments;
  readonly log: Logger;
  /** Runs a command in a visible terminal; undefined when the user closed it. */
  readonly run: (command: string, folder: string) => Promise<number | undefined>;
  readonly report: (text: string) => void;
}

/** Runs `parley.worktrees.setup` in new worktrees. Commands of the workspace run only after the user has allowed exactly them. */
export class WorktreeSetup {
  readonly #deps: WorktreeSetupDeps;
  /** By folder. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(deps: WorktreeSetupDeps) {
    this.#deps = deps;
  }

  /** Starts the commands in a new worktree. */
  begin(folder: string): void {
    const done = this.#run(folder).catch((error: unknown) =>
      this.#deps.log.error('app', `Worktree setup: ${String(error)}`),
    );
    this.#running.set(folder, done);
    void done.finally(() => this.#running.delete(folder));
  }

  isRunning(folder: string): boolean {
    return this.#running.has(folder);
  }

  /** Settles when the setup of a folder has ended, well or not. Never rejects. */
  async ready(folder: string): Promise<void> {
    await this.#running.get(folder);
  }

  async #run(folder: string): Promise<void> {
    for (const command of await this.#allowed()) {
      // oxlint-disable-next-line no-await-in-loop -- later commands need the earlier ones
      const code = await this.#deps.run(command, folder);
      if (code === 0) continue;
      const end = code === undefined ? t('was closed') : t('ended with exit code {0}', code);
      this.#deps.report(t('The setup of the worktree stopped: “{0}” {1}. The terminal shows why.', command, end));
      return;
    }
  }

  async #allowed(): Promise<readonly string[]> {
    const { commands, approvals, documents } = this.#deps;
    const scopes = commands();
    const theirs = workspaceScopeValues(scopes).flat();
    if (theirs.length === 0) return scopes.user;
    const content = JSON.stringify(theirs);
    const decided = approvals.decision(SUBJECT, content);
    if (decided !== undefined) return decided === 'allowed' ? [...scopes.user, ...theirs] : scopes.user;
    const isAllowed = await confirmInFull(documents, {
      message: t('This workspace runs commands in new worktrees. Allow these commands?'),
      lines: theirs.map(escapeInvisible),
      notes: [t('They run in a terminal, with your rights.')],
      isChanged: approvals.isKnown(SUBJECT),
      yes: t('Allow'),
      no: t('Don’t Allow'),
      tab: t('Commands of new worktrees'),
    });
    await approvals.keep(SUBJECT, content, isAllowed ? 'allowed' : 'refused');
    return isAllowed ? [...scopes.user, ...theirs] : scopes.user;
  }
}
