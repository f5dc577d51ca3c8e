import * as vscode from 'vscode';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { ChangeReview } from '../changeReview';
import { reviewedPath } from './baselineFiles';
import type { MultiFileReview } from './openReviewDiff';
import { showsAllChanges } from './openReviewDiff';

/**
 * Updates the context keys `parley.hasChanges` and, for the active editor, `parley.inReview` and `parley.inAllChanges`: a multi-file diff
 * editor whose files are known.
 */
export class ReviewContextKeys implements Disposable {
  readonly #review: ChangeReview;
  readonly #multiFile: Pick<MultiFileReview, 'shown'>;
  readonly #store = new DisposableStore();
  readonly #known = new Map<string, boolean>();

  constructor(review: ChangeReview, multiFile: Pick<MultiFileReview, 'shown'>) {
    this.#review = review;
    this.#multiFile = multiFile;
    this.#store.add(review.onDidChange(() => this.#update()));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(() => this.#update()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#update()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabGroups(() => this.#update()));
    this.#update();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #update(): void {
    const editor = vscode.window.activeTextEditor;
    const path = editor && reviewedPath(editor.document.uri);
    this.#set('parley.hasChanges', this.#review.files().length > 0);
    this.#set('parley.inReview', path !== undefined && this.#review.file(path) !== undefined);
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    const isKnown = this.#multiFile.shown !== undefined;
    this.#set('parley.inAllChanges', isKnown && activeTab !== undefined && showsAllChanges(activeTab));
  }

  #set(key: string, value: boolean): void {
    if (this.#known.get(key) === value) return;
    this.#known.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
