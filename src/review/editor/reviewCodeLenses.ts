import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { PlainSettingsReader } from '../../base/settings';
import type { ChangeReview } from '../changeReview';
import type { ReviewedFile } from '../tracking/modifiedFiles';
import type { BaselineFiles } from './baselineFiles';
import { hunkAt } from './hunkNavigation';

/** Changes of a file; each line of lenses takes the height of a line of text, so of more only the change at the cursor gets lenses. */
const MAX_WITH_LENSES = 20;

/**
 * "Keep" and "Undo" code lenses above each change of an agent, and for the file above its first line. In a file with many changes those
 * away from the cursor have the same in a hover.
 */
export class ReviewCodeLenses implements vscode.CodeLensProvider, vscode.HoverProvider, Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChangeCodeLenses = this.#store.add(new Emitter<void>());
  /** The id of the change at the cursor, in a file with many. */
  #atCursor: string | undefined;

  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor(
    private readonly review: ChangeReview,
    private readonly base: BaselineFiles,
    private readonly settings: PlainSettingsReader<'review.enabled'>,
  ) {
    this.#store.add(review.onDidChange(() => this.#onDidChangeCodeLenses.fire()));
    this.#store.add(settings.onDidChange(() => this.#onDidChangeCodeLenses.fire()));
    this.#store.add(vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this));
    this.#store.add(vscode.languages.registerHoverProvider({ scheme: 'file' }, this));
    this.#store.add(vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.#followCursor(textEditor)));
  }

  async provideHover({ uri, lineCount }: vscode.TextDocument, at: vscode.Position): Promise<vscode.Hover | undefined> {
    const file = this.settings.get('review.enabled') ? this.review.file(uri.fsPath) : undefined;
    const hunk = file && hasMany(file) && hunkAt(file.hunks, at.line);
    return hunk ? (await import('./hunkLenses')).hunkHover(file, hunk, lineCount) : undefined;
  }

  #followCursor({ document, selection }: vscode.TextEditor): void {
    const file = this.review.file(document.uri.fsPath);
    if (!file || !hasMany(file)) return;
    const id = hunkAt(file.hunks, selection.active.line)?.id;
    if (id === this.#atCursor) return;
    this.#atCursor = id;
    this.#onDidChangeCodeLenses.fire();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const { fsPath } = document.uri;
    if (!this.settings.get('review.enabled') || !this.review.file(fsPath)) return [];
    const { lensesOf } = await import('./hunkLenses');
    const base = await this.base.lines(fsPath);
    // The newest review, which may have changed while the baseline was read.
    const file = this.review.file(fsPath);
    if (!file) return [];
    const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
    const atCursor = editor && hunkAt(file.hunks, editor.selection.active.line);
    const shown = file.hunks.filter((hunk) => !hasMany(file) || hunk === atCursor);
    return lensesOf(file, shown, document.lineCount, base);
  }

  dispose(): void {
    this.#store.dispose();
  }
}

function hasMany({ hunks }: ReviewedFile): boolean {
  return hunks.length > MAX_WITH_LENSES;
}
