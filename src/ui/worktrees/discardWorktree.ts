import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { createDeferred, settlesWithin } from '../../base/async';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeIconSyntax, escapeInvisibleInline } from '../../base/untrustedText';
import { isInside } from '../../node/fs/realPaths';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import { formatBytes } from '../../shared/text/formatBytes';
import { fileDocuments, unsavedOtherFiles } from '../../workbench/textDocuments';
import { showWarningMessage, withProgress } from '../../workbench/windowMessages';
import type { WorktreeWork } from '../../worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { DiscardOutcome, Worktrees } from '../../worktrees/worktrees';
import type { Notices } from '../window';
import type { WorktreeSetup } from './worktreeSetup';

/** Files and commits that a dialog names; the rest is counted. */
const MAX_NAMED = 12;
/** Milliseconds for an agent to stop. */
const STOP_DEADLINE_MS = 5_000;

/** Discards worktrees, after the user has seen what would be lost. */
export class DiscardWorktree {
  constructor(
    private readonly worktrees: Worktrees,
    private readonly sessions: Sessions,
    private readonly setup: WorktreeSetup,
    private readonly notices: Notices,
  ) {}

  /**
   * Stops what runs in a worktree, asks, and discards it.
   * @param agreed what the user has seen before and agreed to lose: asks only if there is something else now
   * @throws ParleyError
   */
  async discard(record: WorktreeRecord, agreed?: WorktreeWork): Promise<void> {
    const { worktrees, sessions, setup } = this;
    const inside = sessions.allOpen().filter(({ cwd }) => worktrees.around(cwd)?.id === record.id);
    // Nothing may be written after the dialog has named what would be lost.
    for (const session of inside) await endTurn(session);
    await setup.stop(worktrees.workingFolder(record));
    let outcome: DiscardOutcome = 'changed';
    while (outcome === 'changed') {
      const loss = await readLoss(worktrees, record);
      const isAgreed = agreed && loss.unsaved.length === 0 && isDeepStrictEqual(loss.work, agreed);
      if (isAgreed !== true && !(await agreesToDiscard(record, loss))) return;
      outcome = await this.#discard(record, loss, inside);
    }
    const text =
      outcome === 'noRepository'
        ? t('Discarded the worktree “{0}”. Its repository was not found, so the branch may still exist.', record.branch)
        : t('Discarded the worktree “{0}”.', record.branch);
    this.notices.show({ text });
  }

  /** Deletes what the user has agreed to lose, and nothing else. */
  async #discard(record: WorktreeRecord, loss: DiscardLoss, inside: readonly Session[]): Promise<DiscardOutcome> {
    if (!isDeepStrictEqual(findUnsaved(record), loss.unsaved)) return 'changed';
    const title = t('Discarding the worktree “{0}”…', escapeIconSyntax(record.branch));
    const options = { location: vscode.ProgressLocation.Notification, title };
    const outcome = await withProgress(options, () => this.worktrees.discard(record.id, loss.work));
    if (outcome === 'changed') return outcome;
    // A chat without messages goes back to the workspace; another one asks for a folder with the next message.
    const name = t('{0} (discarded)', record.branch);
    for (const session of inside)
      if (session.state.entries.count === 0) session.setFolder(undefined);
      else session.setFolder(session.cwd, name);
    return outcome;
  }
}

/** Ends the agent's process when it does not stop in time. */
async function endTurn(session: Session): Promise<void> {
  const isRunning = (): boolean => session.state.turn.status === 'running';
  if (!isRunning()) return;
  const ended = createDeferred<void>();
  const subscription = session.onDidDispatch(() => isRunning() || ended.resolve());
  try {
    session.turn.stop();
    if (!(await settlesWithin(ended.promise, STOP_DEADLINE_MS))) await session.restarter.forceStop();
  } finally {
    subscription.dispose();
  }
}

/** What discarding a worktree deletes. */
interface DiscardLoss {
  /** Undefined when the worktree cannot be read. */
  readonly work: WorktreeWork | undefined;
  /** Why it cannot be read. */
  readonly problem: string | undefined;
  /** Files with unsaved text in an editor. */
  readonly unsaved: readonly string[];
}

async function readLoss(worktrees: Worktrees, record: WorktreeRecord): Promise<DiscardLoss> {
  const unsaved = findUnsaved(record);
  try {
    return { work: await worktrees.work(record), problem: undefined, unsaved };
  } catch (error) {
    return { work: undefined, problem: errorMessage(error), unsaved };
  }
}

/** Relative names. */
function findUnsaved({ path }: WorktreeRecord): readonly string[] {
  const documents = fileDocuments().filter(({ isDirty }) => isDirty);
  const dirty = [...documents.map(({ uri }) => uri), ...unsavedOtherFiles()];
  const names = dirty.flatMap(({ fsPath }) => (isInside(path, fsPath) ? relative(path, fsPath) : []));
  return [...new Set(names)].toSorted();
}

/** Names what would be lost. */
async function agreesToDiscard(record: WorktreeRecord, { work, problem, unsaved }: DiscardLoss): Promise<boolean> {
  const parts = [
    listNames(t('Uncommitted files:'), work?.uncommitted ?? []),
    listNames(
      ignoredTitle(work?.ignored ?? []),
      (work?.ignored ?? []).map(({ name }) => name),
    ),
    listNames(t('Unsaved editors:'), unsaved),
    listNames(t('Commits that exist only in this worktree:'), work?.commits ?? []),
    listNames(t('A lock or a Git command in progress:'), work?.begun ?? []),
    problem === undefined ? [] : [t('The worktree cannot be read: {0}', problem), ''],
  ].flat();
  const message =
    parts.length > 0
      ? t(
          'Discard the worktree “{0}” and its branch? Work that exists only in this worktree will be deleted.',
          record.branch,
        )
      : t('Discard the worktree “{0}” and its branch? It contains no work that would be lost.', record.branch);
  const discard = t('Discard');
  const options = { modal: true, detail: [...parts, record.path].map(escapeInvisibleInline).join('\n') };
  return (await showWarningMessage(message, options, discard)) === discard;
}

function ignoredTitle(all: WorktreeWork['ignored']): string {
  const files = all.reduce((sum, each) => sum + each.files, 0);
  const size = formatBytes(all.reduce((sum, each) => sum + each.bytes, 0));
  if (all.some(({ isPartial }) => isPartial)) return t('Ignored files, at least {0} ({1}):', files, size);
  return files === 1 ? t('1 ignored file, {0}:', size) : t('{0} ignored files, {1}:', files, size);
}

function listNames(title: string, all: readonly string[]): string[] {
  if (all.length === 0) return [];
  const rest = all.length - MAX_NAMED;
  const lines = all.slice(0, MAX_NAMED).map((one) => `• ${one}`);
  return [title, ...lines, ...(rest > 0 ? [t('and {0} more', rest)] : []), ''];
}
