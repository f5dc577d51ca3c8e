import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { PlainSettingsReader } from '../../base/settings';
import { truncate } from '../../base/text';
import { mergeCalls } from '../../node/mergeCalls';
import type { ChangeReview } from '../changeReview';
import type { Hunk } from '../tracking/hunks';
import type { ReviewedFile } from '../tracking/modifiedFiles';
import type { BaselineFiles } from './baselineFiles';
import type { HunkKind } from './hunkNavigation';
import { hunkKind, hunkLine } from './hunkNavigation';
import { moreLines, removedLines } from './removedLines';

/** UTF-16 units of replaced text in a hover. */
const MAX_HOVER = 4000;

/**
 * Decorates changes of agents: a bar at each line, the removed lines beside those that replaced them, and all removed lines in a hover.
 * Extensions cannot insert space between lines, so only diff editors show removed lines in place.
 */
export class ReviewDecorations implements Disposable {
  readonly #store = new DisposableStore();
  readonly #types: Readonly<Record<HunkKind, vscode.TextEditorDecorationType>>;
  readonly #removed: vscode.TextEditorDecorationType;
  readonly #marked = new WeakSet<vscode.TextEditor>();

  readonly #refresh = mergeCalls(this.#store, () => {
    for (const editor of vscode.window.visibleTextEditors) void this.#draw(editor);
  });

  constructor(
    private readonly review: ChangeReview,
    private readonly base: BaselineFiles,
    private readonly settings: PlainSettingsReader<'review.enabled'>,
  ) {
    const type = (kind: HunkKind): vscode.TextEditorDecorationType =>
      this.#store.add(vscode.window.createTextEditorDecorationType(STYLES[kind]));
    this.#types = { added: type('added'), changed: type('changed'), deleted: type('deleted') };
    this.#removed = this.#store.add(vscode.window.createTextEditorDecorationType(REMOVED));
    this.#store.add(review.onDidChange(() => this.#refresh()));
    this.#store.add(settings.onDidChange(() => this.#refresh()));
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#refresh()));
    this.#store.add(vscode.window.onDidChangeTextEditorViewColumn(() => this.#refresh()));
    this.#refresh();
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #draw(editor: vscode.TextEditor): Promise<void> {
    const { uri } = editor.document;
    // An editor inside a diff editor has no column; the diff already shows the changes.
    const isMarked = uri.scheme === 'file' && editor.viewColumn !== undefined && this.settings.get('review.enabled');
    const file = isMarked ? this.review.file(uri.fsPath) : undefined;
    if (!file && !this.#marked.has(editor)) return;
    this.#marked.add(editor);
    const base = file && (await this.base.lines(file.path));
    // Uses the newest review, which may have changed while the baseline was read.
    const current = file && this.review.file(file.path);
    for (const kind of ['added', 'changed', 'deleted'] as const) {
      editor.setDecorations(this.#types[kind], current ? optionsOf(kind, current, editor.document, base ?? []) : []);
    }
    editor.setDecorations(this.#removed, current ? removedOptions(current, editor, base ?? []) : []);
  }
}

function removedOptions(
  { hunks }: ReviewedFile,
  { document, options }: vscode.TextEditor,
  base: readonly string[],
): vscode.DecorationOptions[] {
  const lineAt = (line: number): string => (line < document.lineCount ? document.lineAt(line).text : '');
  const tabSize = typeof options.tabSize === 'number' ? options.tabSize : 4;
  return removedLines(hunks, lineAt, base, tabSize).map(({ line, text, gap, more }) => ({
    range: document.validateRange(new vscode.Range(line, Number.MAX_SAFE_INTEGER, line, Number.MAX_SAFE_INTEGER)),
    renderOptions: {
      after: {
        contentText: `${more === 0 ? '' : `${moreLines(more)}\u00a0\u00a0`}−\u00a0${text}`,
        margin: `0 0 0 ${gap}ch`,
      },
    },
  }));
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

/** A bar in VS Code's gutter colors; deleted lines show as a line at their position. */
function createStyle(
  color: string,
  background: string | undefined,
  borderWidth: string,
): vscode.DecorationRenderOptions {
  return {
    isWholeLine: true,
    borderStyle: 'solid',
    borderWidth,
    borderColor: new vscode.ThemeColor(color),
    overviewRulerColor: new vscode.ThemeColor(color),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    ...(background !== undefined && { backgroundColor: new vscode.ThemeColor(background) }),
  };
}

const STYLES: Readonly<Record<HunkKind, vscode.DecorationRenderOptions>> = {
  added: createStyle('editorGutter.addedBackground', 'diffEditor.insertedLineBackground', '0 0 0 2px'),
  changed: createStyle('editorGutter.modifiedBackground', 'diffEditor.insertedLineBackground', '0 0 0 2px'),
  deleted: createStyle('editorGutter.deletedBackground', undefined, '2px 0 0 0'),
};

const REMOVED: vscode.DecorationRenderOptions = {
  rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  after: {
    color: new vscode.ThemeColor('editor.foreground'),
    backgroundColor: new vscode.ThemeColor('diffEditor.removedTextBackground'),
    // Themes with high contrast have no background, others no border.
    border: '1px dashed',
    borderColor: new vscode.ThemeColor('diffEditor.removedTextBorder'),
  },
};
