import { realpath, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { isInsideFolders } from '../../node/fs/realPaths';
import type { Session } from '../../session/session';
import type { FollowEditor } from './followAgent';
import type { FollowLocation } from './followLocation';

/** Milliseconds after our scrolling in which visible ranges may still change: smooth scrolling takes 125 ms and is reported later. */
const SCROLL_SETTLE_MS = 300;

interface Followed {
  readonly editor: vscode.TextEditor;
  /** 0-based, if known. */
  readonly line: number | undefined;
  /** Time when the line became visible; undefined while scrolling. */
  visibleSince: number | undefined;
  /** First visible line and document version without user actions. */
  top: number | undefined;
  version: number;
}

/** Shows the agent's location in a preview editor with a decorated line, and detects user actions there. */
export class FollowPreview implements FollowEditor {
  readonly #store = new DisposableStore();
  readonly #onDidTakeOver = this.#store.add(new Emitter<void>());
  readonly #mark = this.#store.add(vscode.window.createTextEditorDecorationType(markOptions()));
  #followed: Followed | undefined;
  /** Column of the last location. */
  #column: vscode.ViewColumn | undefined;
  /**
   * The tab opened for the last location, unless the user has touched it. Where VS Code has no preview tabs, the next location closes it.
   */
  #opened: vscode.Uri | undefined;
  #isShowing = false;

  readonly onDidTakeOver = this.#onDidTakeOver.event;

  constructor(private readonly log: Logger) {
    this.#store.add(vscode.window.onDidChangeTextEditorSelection((event) => this.#handleSelection(event)));
    this.#store.add(vscode.window.onDidChangeTextEditorVisibleRanges((event) => this.#handleScroll(event)));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor((editor) => this.#handleActivation(editor)));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs((event) => this.#handleTabs(event)));
  }

  async reveal(location: FollowLocation, session: Session): Promise<boolean> {
    try {
      if (!(await isFileIn(location.path, session.folders))) return false;
      const editor = await this.#editorFor(vscode.Uri.file(location.path));
      if (!editor) return false;
      this.#markLine(editor, location.line, session.state.agent?.title ?? 'Agent');
      return true;
    } catch (error) {
      // Not a text, too large, or deleted: following continues.
      this.log.trace('review', `Failed to show ${location.path}: ${errorMessage(error)}`);
      return false;
    }
  }

  isOnlyPreviewed(uri: string): boolean {
    return this.#opened?.toString() === uri;
  }

  clear(): void {
    this.#followed?.editor.setDecorations(this.#mark, []);
    this.#followed = undefined;
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** An editor that already shows the file, else a preview in an available group; never one that the user is working in. */
  async #editorFor(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
    const visible = vscode.window.visibleTextEditors.filter(
      ({ document, viewColumn }) => viewColumn !== undefined && document.uri.toString() === uri.toString(),
    );
    const shown = visible.find(({ viewColumn }) => viewColumn === this.#column) ?? visible[0];
    if (shown) {
      if (shown.document.isDirty && shown === vscode.window.activeTextEditor) return undefined;
      this.#column = shown.viewColumn;
      return shown;
    }
    const column = previewColumn(this.#column);
    if (column === undefined) return undefined;
    const wasOpen = hasTab(uri, column);
    const before = this.#opened;
    this.#isShowing = true;
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      if (makesEditorAsk(document)) return undefined;
      const options = { preview: true, preserveFocus: true, viewColumn: column };
      const editor = await vscode.window.showTextDocument(document, options);
      this.#column = editor.viewColumn ?? column;
      await this.#closeLast(before, uri);
      this.#opened = wasOpen ? undefined : uri;
      return editor;
    } finally {
      this.#isShowing = false;
    }
  }

  /** Without preview tabs each file would leave a tab behind. */
  async #closeLast(last: vscode.Uri | undefined, next: vscode.Uri): Promise<void> {
    if (!last || last.toString() === next.toString()) return;
    if (vscode.workspace.getConfiguration('workbench.editor').get('enablePreview') !== false) return;
    const tab = hasTab(last, this.#column);
    if (tab && !tab.isDirty && !tab.isPinned && !tab.isActive) await vscode.window.tabGroups.close(tab, true);
  }

  #markLine(editor: vscode.TextEditor, line: number | undefined, agent: string): void {
    if (this.#followed?.editor !== editor) this.clear();
    const { document } = editor;
    const at = line === undefined ? undefined : Math.min(Math.max(0, line - 1), document.lineCount - 1);
    const visibleSince = isVisible(editor.visibleRanges, at) ? performance.now() : undefined;
    const top = editor.visibleRanges[0]?.start.line;
    this.#followed = { editor, line: at, visibleSince, top, version: document.version };
    if (at === undefined) {
      editor.setDecorations(this.#mark, []);
      return;
    }
    const { range } = document.lineAt(at);
    editor.setDecorations(this.#mark, [{ range, renderOptions: { after: { contentText: agent } } }]);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** The user moved the cursor in the followed group, or in the one that would be used next. */
  #handleSelection({ kind, textEditor }: vscode.TextEditorSelectionChangeEvent): void {
    const isByUser =
      kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
    if (!isByUser || textEditor.viewColumn === undefined) return;
    this.#releaseToUser(textEditor.document.uri);
    if (textEditor.viewColumn === (this.#followed ? this.#column : previewColumn(this.#column)))
      this.#onDidTakeOver.fire();
  }

  /** Ignores our own scrolling, and changes of the text. */
  #handleScroll({ textEditor, visibleRanges }: vscode.TextEditorVisibleRangesChangeEvent): void {
    const followed = this.#followed;
    if (!followed || followed.editor !== textEditor) return;
    const now = performance.now();
    const [top, version] = [visibleRanges[0]?.start.line, textEditor.document.version];
    if (followed.visibleSince === undefined && isVisible(visibleRanges, followed.line)) followed.visibleSince = now;
    const isOurs =
      followed.visibleSince === undefined ||
      now - followed.visibleSince < SCROLL_SETTLE_MS ||
      version !== followed.version;
    if (!isOurs && top !== followed.top) {
      this.#releaseToUser(textEditor.document.uri);
      this.#onDidTakeOver.fire();
    }
    followed.top = top;
    followed.version = version;
  }

  /** Treats the document as opened by the user from now on. */
  #releaseToUser(uri: vscode.Uri): void {
    if (this.isOnlyPreviewed(uri.toString())) this.#opened = undefined;
  }

  /** The user switched editors in the followed group. */
  #handleActivation(editor: vscode.TextEditor | undefined): void {
    const followed = this.#followed;
    if (!followed || !editor || this.#isShowing || editor.viewColumn !== this.#column) return;
    if (editor.document !== followed.editor.document) this.#onDidTakeOver.fire();
  }

  /** The user opened an editor without text there that the next location would cover, such as the settings: the event above knows texts only. */
  #handleTabs({ opened, changed }: vscode.TabChangeEvent): void {
    const isInTheWay = (tab: vscode.Tab): boolean =>
      tab.isActive &&
      tab.group.viewColumn === this.#column &&
      !(tab.input instanceof vscode.TabInputText) &&
      mayBeCovered(tab);
    if (this.#followed && [...opened, ...changed].some(isInTheWay)) this.#onDidTakeOver.fire();
  }
}

function isVisible(ranges: readonly vscode.Range[], line: number | undefined): boolean {
  return line === undefined || ranges.some(({ start, end }) => start.line <= line && line <= end.line);
}

function markOptions(): vscode.DecorationRenderOptions {
  return {
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    borderColor: new vscode.ThemeColor('editor.rangeHighlightBorder'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.rangeHighlightForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
    after: {
      margin: '0 0 0 3ch',
      color: new vscode.ThemeColor('editorCodeLens.foreground'),
    },
  };
}

/** A regular file whose real path is inside the workspace: agents must not open files elsewhere or on other computers. */
async function isFileIn(path: string, folders: readonly string[]): Promise<boolean> {
  if (/^[\\/]{2}/.test(path)) return false;
  const real = await realpath(path);
  return (await isInsideFolders(real, folders)) && (await stat(real)).isFile();
}

/**
 * The editor group for a file: the last one, else the active one, else any available one. Undefined when there is none: no group is
 * created.
 */
function previewColumn(last: vscode.ViewColumn | undefined): vscode.ViewColumn | undefined {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const groups = [...all.filter(({ viewColumn }) => viewColumn === last), activeTabGroup, ...all];
  return groups.find(({ activeTab }) => !activeTab || mayBeCovered(activeTab))?.viewColumn;
}

/** Keeps unsaved and pinned editors visible, and those the user interacts with: chat, terminal, diff. */
function mayBeCovered({ isDirty, isPinned, input }: vscode.Tab): boolean {
  if (isDirty || isPinned) return false;
  // Unknown inputs: the welcome page, settings and the like.
  return input instanceof vscode.TabInputText || input === undefined;
}

function hasTab(uri: vscode.Uri, column: vscode.ViewColumn | undefined): vscode.Tab | undefined {
  const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === column);
  return group?.tabs.find(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString(),
  );
}

/** Whether VS Code would ask in a modal dialog what to do with unusual line terminators, which nobody who works elsewhere expects. */
function makesEditorAsk(document: vscode.TextDocument): boolean {
  const setting = vscode.workspace.getConfiguration('editor', document).get('unusualLineTerminators');
  return setting === 'prompt' && /[\u2028\u2029]/.test(document.getText());
}
