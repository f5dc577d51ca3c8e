import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { truncate } from '../../base/text';
import type { ChangeReview } from '../changeReview';
import type { Hunk } from '../tracking/fileAttribution';
import type { ReviewedFile } from '../tracking/modifiedFiles';
import { decodeBase } from './baselineFiles';
import type { HunkKind } from './hunks';
import { hunkKind, hunkLine, normalizedLines } from './hunks';

/** UTF-16 units of replaced text in a hover. */
const MAX_HOVER = 4000;

/** Decorates changes of agents: a bar at each line, and the replaced text in its hover. */
export class ReviewDecorations implements Disposable {
  readonly #review: ChangeReview;
  readonly #enabled: () => boolean;
  readonly #store = new DisposableStore();
  readonly #types: Readonly<Record<HunkKind, vscode.TextEditorDecorationType>>;
  /** Cached lines of baselines, which are large and rarely change. */
  readonly #lines = new WeakMap<Uint8Array, Promise<readonly string[]>>();
  readonly #marked = new WeakSet<vscode.TextEditor>();
  #scheduled = false;

  /** @param enabled `parley.review.enabled` */
  constructor(review: ChangeReview, enabled: () => boolean) {
    this.#review = review;
    this.#enabled = enabled;
    const type = (kind: HunkKind): vscode.TextEditorDecorationType =>
      this.#store.add(vscode.window.createTextEditorDecorationType(STYLES[kind]));
    this.#types = { added: type('added'), changed: type('changed'), deleted: type('deleted') };
    this.#store.add(review.onDidChange(() => this.refresh()));
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()));
    this.#store.add(vscode.window.onDidChangeTextEditorViewColumn(() => this.refresh()));
    this.refresh();
  }

  /** Merges simultaneous updates. */
  refresh(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#store.isDisposed) for (const editor of vscode.window.visibleTextEditors) void this.#draw(editor);
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #draw(editor: vscode.TextEditor): Promise<void> {
    const { uri } = editor.document;
    // Editors inside other editors have no column: a diff already shows the changes.
    const isMarked = uri.scheme === 'file' && editor.viewColumn !== undefined && this.#enabled();
    const file = isMarked ? this.#review.file(uri.fsPath) : undefined;
    if (!file && !this.#marked.has(editor)) return;
    this.#marked.add(editor);
    const base = file && (await this.#baseLines(file.path));
    // Uses the newest review, which may have changed while the baseline was read.
    const current = file && this.#review.file(file.path);
    for (const kind of ['added', 'changed', 'deleted'] as const) {
      editor.setDecorations(this.#types[kind], current ? optionsOf(kind, current, editor.document, base ?? []) : []);
    }
  }

  async #baseLines(path: string): Promise<readonly string[]> {
    const bytes = this.#review.baseBytes(path);
    if (!bytes) return [];
    const known = this.#lines.get(bytes) ?? decodeBase(path, bytes).then(normalizedLines, () => []);
    this.#lines.set(bytes, known);
    return known;
  }
}

function optionsOf(
  kind: HunkKind,
  file: ReviewedFile,
  document: vscode.TextDocument,
  base: readonly string[],
): vscode.DecorationOptions[] {
  return file.hunks
    .filter((hunk) => hunkKind(hunk) === kind)
    .map((hunk) => {
      const start = hunkLine(hunk, document.lineCount);
      const end = Math.min(Math.max(start, hunk.after.start + hunk.after.lines - 1), document.lineCount - 1);
      const range = new vscode.Range(start, 0, end, 0);
      const hoverMessage = hoverOf(hunk, base, document.languageId);
      return hoverMessage ? { range, hoverMessage } : { range };
    });
}

/** Replaced text as a code block, never as Markdown: it is untrusted. */
function hoverOf({ before }: Hunk, base: readonly string[], language: string): vscode.MarkdownString | undefined {
  const lines = base.slice(before.start, before.start + before.lines);
  if (lines.length === 0) return undefined;
  const hover = new vscode.MarkdownString(
    lines.length === 1 ? t('Before, 1 line:') : t('Before, {0} lines:', lines.length),
  );
  return hover.appendCodeblock(truncate(lines.join('\n'), MAX_HOVER), language);
}

/** A bar in VS Code's gutter colours; deleted lines show as a line at their position. */
function style(colour: string, background: string | undefined, borderWidth: string): vscode.DecorationRenderOptions {
  return {
    isWholeLine: true,
    borderStyle: 'solid',
    borderWidth,
    borderColor: new vscode.ThemeColor(colour),
    overviewRulerColor: new vscode.ThemeColor(colour),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    ...(background !== undefined && { backgroundColor: new vscode.ThemeColor(background) }),
  };
}

const STYLES: Readonly<Record<HunkKind, vscode.DecorationRenderOptions>> = {
  added: style('editorGutter.addedBackground', 'diffEditor.insertedLineBackground', '0 0 0 2px'),
  changed: style('editorGutter.modifiedBackground', 'diffEditor.insertedLineBackground', '0 0 0 2px'),
  deleted: style('editorGutter.deletedBackground', undefined, '2px 0 0 0'),
};
