import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { PlainSettingsReader } from '../../base/settings';
import type { ChangeReview } from '../changeReview';
import type { Hunk } from '../tracking/hunks';
import type { ReviewedFile } from '../tracking/modifiedFiles';
import type { BaselineFiles } from './baselineFiles';
import { hunkLine } from './hunkNavigation';
import { moreLines, removedPreview } from './removedLines';

/** Argument of a hunk command. */
export interface HunkTarget {
  readonly path: string;
  readonly hunkId: string;
}

/** "Keep" and "Undo" code lenses above each change of an agent, and for the file above its first line. */
export class ReviewCodeLenses implements vscode.CodeLensProvider, Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChangeCodeLenses = this.#store.add(new Emitter<void>());

  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor(
    private readonly review: ChangeReview,
    private readonly base: BaselineFiles,
    private readonly settings: PlainSettingsReader<'review.enabled'>,
  ) {
    this.#store.add(review.onDidChange(() => this.#onDidChangeCodeLenses.fire()));
    this.#store.add(settings.onDidChange(() => this.#onDidChangeCodeLenses.fire()));
    this.#store.add(vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this));
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const { fsPath } = document.uri;
    if (!this.settings.get('review.enabled') || !this.review.file(fsPath)) return [];
    const base = await this.base.lines(fsPath);
    // The newest review, which may have changed while the baseline was read.
    const file = this.review.file(fsPath);
    if (!file) return [];
    return [
      ...fileLenses(file),
      ...file.hunks.flatMap((hunk) => hunkLenses(file, hunk, document.lineCount)),
      ...file.hunks.flatMap((_, index) => positionLenses(file, index, document.lineCount, base)),
    ];
  }

  dispose(): void {
    this.#store.dispose();
  }
}

function hunkLenses(file: ReviewedFile, hunk: Hunk, lineCount: number): vscode.CodeLens[] {
  const line = hunkLine(hunk, lineCount);
  const target: HunkTarget = { path: file.path, hunkId: hunk.id };
  const keep = createLens(line, t('Keep'), 'parley.keepHunk', t('Accept this change'), target);
  const comment = createLens(
    line,
    t('Comment'),
    'parley.commentToAgent',
    t('Send the agent a comment about this change'),
    target,
  );
  if (hunk.conflict) {
    // A note without a command.
    const note = createLens(
      line,
      t('You changed these lines too'),
      '',
      t('Manually undo the changes you do not want'),
      target,
    );
    return [note, keep, comment];
  }
  return [keep, createLens(line, t('Undo'), 'parley.undoHunk', t('Undo this change'), target), comment];
}

/** "2 of 5", and the removed text. These come last, so that the buttons always have the same position. */
function positionLenses(
  file: ReviewedFile,
  index: number,
  lineCount: number,
  base: readonly string[],
): readonly vscode.CodeLens[] {
  const { hunks, path } = file;
  const hunk = hunks[index];
  if (!hunk) return [];
  const line = hunkLine(hunk, lineCount);
  const target: HunkTarget = { path, hunkId: hunk.id };
  const position = t('{0} of {1}', index + 1, hunks.length);
  const removed = hunk.before.lines > 0 && removedTitle(hunk, base);
  return [
    ...(hunks.length > 1 ? [createLens(line, position, 'parley.nextChange', t('Go to the next change'), target)] : []),
    ...(removed
      ? [createLens(line, removed, 'parley.openChange', t('Show the changes in a diff editor'), { path })]
      : []),
  ];
}

function removedTitle(hunk: Hunk, base: readonly string[]): string {
  const more = hunk.before.lines - 1;
  const text = `− ${removedPreview(hunk, base)}`;
  return more === 0 ? text : `${text} ${moreLines(more)}`;
}

/** Omitted for a single hunk. */
function fileLenses(file: ReviewedFile): vscode.CodeLens[] {
  if (file.hunks.length === 1 && !file.conflict) return [];
  const target = { path: file.path };
  // No hunks: the file is too large to be compared.
  const count = file.hunks.length;
  return [
    createLens(0, titleOf(count), 'parley.openChange', t('Show the changes in a diff editor'), target),
    createLens(0, t('Keep File'), 'parley.keepFile', t('Accept all changes in this file'), target),
    createLens(0, t('Undo File'), 'parley.undoFile', t('Undo all agent changes in this file'), target),
  ];
}

function titleOf(count: number): string {
  if (count === 0) return t('Changed by the agent');
  return count === 1 ? t('1 change by the agent') : t('{0} changes by the agent', count);
}

function createLens(line: number, title: string, command: string, tooltip: string, target: object): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, tooltip, arguments: [target] });
}
