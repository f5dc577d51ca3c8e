import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { ShowNotice } from '../../workbench/notice';
import { waitForReload } from '../../workbench/textDocuments';
import { localFolders } from '../../workbench/workspaceFolders';
import type { WorktreeChange } from '../../worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { textIn } from '../attachments/attachmentReader';
import type { ApplyDeps } from '../chat/content/applyCode';
import type { CodeTarget } from '../chat/content/codeTarget';
import { namedFile, requireInPlace } from '../chat/content/codeTarget';
import { textOf, writeFileChange } from '../chat/content/writeFileChange';
import type { TakePlan } from './planTake';
import { onlyChangeAt, planTake } from './planTake';

export interface TakeDeps {
  readonly worktrees: Worktrees;
  /** Runs a change of a workspace file as an edit of the session, so that it is reviewed. */
  readonly edit: ApplyDeps['edit'];
  readonly showNotice: ShowNotice;
  /** Opens the changes of the session under review. */
  readonly review: (sessionId: string) => Promise<void>;
}

interface Sides {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/** Undefined: the change is in the workspace now. Else a sentence that names the file. */
type Problem = string | undefined;

/**
 * Takes changes of a worktree into the workspace, as edits of its session: with marks, Keep and Undo. What the user has changed there is
 * never overwritten.
 */
export class TakeChanges {
  readonly #deps: TakeDeps;

  constructor(deps: TakeDeps) {
    this.#deps = deps;
  }

  async all(record: WorktreeRecord): Promise<void> {
    const changes = await this.#deps.worktrees.changes(record);
    const problems: string[] = [];
    let count = 0;
    for (const change of changes) {
      const problem = await this.#take(record, change);
      if (problem === undefined) count++;
      else problems.push(problem);
    }
    this.#report(record, count, problems);
  }

  /** @param name relative to the worktree's top folder */
  async file(record: WorktreeRecord, name: string): Promise<void> {
    const change = await this.#find(record, name);
    const problem = change ? await this.#take(record, change) : unchanged(name);
    this.#report(record, problem === undefined ? 1 : 0, problem === undefined ? [] : [problem]);
  }

  /**
   * @param name relative to the worktree's top folder
   * @param line 0-based, in the worktree's file
   */
  async hunk(record: WorktreeRecord, name: string, line: number): Promise<void> {
    const change = await this.#find(record, name);
    const problem = change ? await this.#takeHunk(record, change, line) : unchanged(name);
    this.#report(record, problem === undefined ? 1 : 0, problem === undefined ? [] : [problem]);
  }

  async #find(record: WorktreeRecord, name: string): Promise<WorktreeChange | undefined> {
    return (await this.#deps.worktrees.changes(record)).find((change) => change.name === name);
  }

  async #takeHunk(record: WorktreeRecord, change: WorktreeChange, line: number): Promise<Problem> {
    const { before, after } = await this.#deps.worktrees.bytes(record, change);
    const [base, theirs] = [textOfBytes(before ?? new Uint8Array()), after && textOfBytes(after)];
    const text = base === undefined || theirs === undefined ? undefined : onlyChangeAt(base, theirs, line);
    if (text === undefined) return t('There is no change of the worktree at the cursor.');
    return this.#take(record, change, { before, after: Buffer.from(text) });
  }

  async #take(record: WorktreeRecord, change: WorktreeChange, given?: Sides): Promise<Problem> {
    const shown = escapeInvisibleInline(change.name);
    try {
      if (change.isSpecial) return t('{0} is a link or a submodule', shown);
      const target = await namedFile(join(record.repository, change.name), localFolders());
      if ('problem' in target) return target.problem;
      const because = target.protection;
      if (because !== undefined && !(await mayTake(shown, because))) return t('{0} was not taken', shown);
      const sides = given ?? (await this.#deps.worktrees.bytes(record, change));
      const taken = await planFor(target, sides);
      if (taken.type === 'nothing') return undefined;
      if (taken.type === 'conflict') return conflictText(shown, taken.lines);
      const { session = record.branch } = record;
      await this.#deps.edit(session, target.uri.fsPath, () => carryOut(target, taken));
      if (change.isExecutable && change.status === 'added') await chmod(target.uri.fsPath, 0o755);
      return undefined;
    } catch (error) {
      return t('{0}: {1}', shown, escapeInvisibleInline(errorMessage(error)));
    }
  }

  #report({ branch, session }: WorktreeRecord, count: number, problems: readonly string[]): void {
    const { showNotice, review } = this.#deps;
    const text =
      count === 0
        ? t('Nothing was taken from “{0}”.', branch)
        : t('Took {0} from “{1}”.', count === 1 ? t('1 change') : t('{0} changes', count), branch);
    const button =
      count > 0 && session !== undefined ? { label: t('Review Changes'), run: () => review(session) } : undefined;
    showNotice({ text, details: problems, isWarning: problems.length > 0, ...(button && { button }) });
  }
}

type Taken =
  | Exclude<TakePlan, { type: 'write' }>
  | { readonly type: 'write'; readonly text: string; readonly mine: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array };

async function planFor({ exists, uri }: CodeTarget, { before, after }: Sides): Promise<Taken> {
  const [base, theirs] = [before && textOfBytes(before), after && textOfBytes(after)];
  const isText = (before === undefined || base !== undefined) && (after === undefined || theirs !== undefined);
  if (isText) {
    // With unsaved text.
    const mine = exists ? await currentText(uri) : undefined;
    const plan = planTake({ base, theirs, mine });
    return plan.type === 'write' ? { ...plan, mine: mine ?? '' } : plan;
  }
  const mine = exists ? await readFile(uri.fsPath) : undefined;
  if (isSame(mine, after)) return { type: 'nothing' };
  if (!isSame(mine, before)) return { type: 'conflict', lines: undefined };
  return after === undefined ? { type: 'delete' } : { type: 'bytes', bytes: after };
}

/** @throws Error when VS Code has not noticed a change on disk */
async function currentText(uri: vscode.Uri): Promise<string> {
  const document = await vscode.workspace.openTextDocument(uri);
  const disk = textOfBytes(await readFile(uri.fsPath));
  const isFresh = (): boolean => disk === undefined || textOf(document) === disk;
  if (!(await waitForReload(document, isFresh))) throw new Error(t('The file was changed in the meantime; try again'));
  return textOf(document);
}

async function carryOut(target: CodeTarget, taken: Exclude<Taken, { type: 'nothing' | 'conflict' }>): Promise<void> {
  const { uri } = target;
  if (taken.type === 'write') return writeFileChange({ ...target, before: taken.mine, after: taken.text });
  requireInPlace(target);
  if (taken.type === 'bytes') return vscode.workspace.fs.writeFile(uri, taken.bytes);
  const deletion = new vscode.WorkspaceEdit();
  deletion.deleteFile(uri);
  if (!(await vscode.workspace.applyEdit(deletion))) throw new Error(t('VS Code did not apply the edit'));
}

/** With `\n`; undefined for a binary file. */
function textOfBytes(bytes: Uint8Array): string | undefined {
  return textIn(bytes)?.replaceAll('\r\n', '\n');
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined ? one === other : Buffer.compare(one, other) === 0;
}

/** A file that can run code later is not taken by the way. */
async function mayTake(name: string, because: string): Promise<boolean> {
  const take = t('Take');
  const question = t('Take the changes of {0}? The file {1}.', name, because);
  return (await vscode.window.showWarningMessage(question, { modal: true }, take)) === take;
}

function unchanged(name: string): string {
  return t('{0} has no changes in the worktree', escapeInvisibleInline(name));
}

function conflictText(name: string, lines: string | undefined): string {
  return lines === undefined
    ? t('{0} has changed in the workspace as well', name)
    : t('{0} has changed in the workspace as well ({1})', name, lines);
}
