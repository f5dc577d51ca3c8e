import { basename } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { asTextOrMedia } from '../../workbench/textEditorOptions';
import type { ChangeReview } from '../changeReview';
import type { ReviewedFile } from '../tracking/modifiedFiles';
import { baseUri, noUri } from './baselineFiles';

const ALL_TITLE = t('Agent Changes');

/**
 * @param sessionId limits to changes of this session's agent, if it has some in the file
 * @returns false where there is nothing to review
 */
export async function openChange(review: ChangeReview, path: string | undefined, sessionId?: string): Promise<boolean> {
  const file = path === undefined ? undefined : review.file(path);
  if (!file) return false;
  const { status } = file.shares?.get(sessionId ?? '') ?? file;
  const title = `${basename(file.path)} (${status === 'deleted' ? t('deleted by the agent') : t('agent changes')})`;
  const [before, now] = [baseOf(file, sessionId), nowUri(file)];
  await vscode.commands.executeCommand('vscode.diff', before, now, title, { preview: true, ...asTextOrMedia(now) });
  return true;
}

/** Only of a file that several sessions changed, the baseline depends on the session. */
function baseOf({ path, shares }: ReviewedFile, sessionId = ''): vscode.Uri {
  return baseUri(path, shares?.has(sessionId) === true ? sessionId : undefined);
}

/** What the multi-file diff editor shows. */
export interface ShownChanges {
  /** Of the session whose changes it was opened for; undefined for those of all sessions. */
  readonly sessionId: string | undefined;
  /** Absolute paths. */
  readonly paths: readonly string[];
}

/**
 * Changed files in one diff editor, which closes when none of them has changes left. There is one such editor at most: VS Code does not
 * tell two of them apart, and its buttons act on what it shows.
 */
export class MultiFileReview implements Disposable {
  readonly #subscription: Disposable;
  #shown: ShownChanges | undefined;
  #closing: Promise<void> = Promise.resolve();

  constructor(private readonly review: ChangeReview) {
    this.#subscription = review.onDidChange(() => void this.closeIfDone());
  }

  /**
   * @param sessionId limits to changes of this session's agent
   * @param only absolute paths
   * @returns false where there is nothing to review
   */
  async open(sessionId?: string, only?: ReadonlySet<string>): Promise<boolean> {
    const files = this.review.files(sessionId).filter(({ path }) => only?.has(path) ?? true);
    const [first] = files;
    if (!first) return false;
    if (files.length === 1) return openChange(this.review, first.path, sessionId);
    const texts = files.filter(({ binary }) => !binary);
    // The multi-file diff editor shows texts only.
    if (texts.length === 0) return openChange(this.review, first.path, sessionId);
    await this.#close();
    this.#shown = { sessionId, paths: texts.map(({ path }) => path) };
    const sides = texts.map((file) => sidesOf(file, sessionId));
    await vscode.commands.executeCommand('vscode.changes', ALL_TITLE, sides);
    return true;
  }

  /** The changes with which the editor was opened; undefined for an editor from before a window reload. */
  get shown(): ShownChanges | undefined {
    return this.#shown;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** @returns when the editor is closed, if nothing is left in it: an earlier call may still close it */
  closeIfDone(): Promise<void> {
    if (this.#shown && !this.#shown.paths.some((path) => this.review.file(path))) {
      this.#shown = undefined;
      this.#closing = this.#close();
    }
    return this.#closing;
  }

  async #close(): Promise<void> {
    const open = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(showsAllChanges);
    if (open.length > 0) await vscode.window.tabGroups.close(open, true);
  }
}

/** The stable API has no type for the input of a multi-file diff. VS Code adds the number of files to its title. */
export function showsAllChanges({ label, input }: vscode.Tab): boolean {
  return label.startsWith(ALL_TITLE) && !(input instanceof vscode.TabInputText);
}

function nowUri({ path, status }: ReviewedFile): vscode.Uri {
  return status === 'deleted' ? noUri(path) : vscode.Uri.file(path);
}

/** The file, its baseline and its current version; undefined where there is none. */
function sidesOf(
  file: ReviewedFile,
  sessionId: string | undefined,
): [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined] {
  const { path, status } = file;
  const label = vscode.Uri.file(path);
  return [label, status === 'created' ? undefined : baseOf(file, sessionId), status === 'deleted' ? undefined : label];
}
