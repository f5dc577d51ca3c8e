import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { MAX_EMBEDDED } from '../../shared/state/attachments';
import { showInformationMessage } from '../../workbench/windowMessages';
import { changesText } from '../attachments/diffAttachment';
import { repositoryOf, untrackedFiles } from '../attachments/gitChanges';
import { linesLabel } from '../attachments/selectionAttachment';
import type { ChatTarget } from './chatTarget';

/** Maximum number of files read at once. A message takes fewer: the page reports the rest. */
const MAX_FILES = 200;

/**
 * "Add to Chat" of the Explorer, editor tabs and code lenses.
 * @param more the whole selection including `target`; for a code lens the range in the file
 */
export async function addToChat(to: ChatTarget, target: unknown, more: unknown): Promise<void> {
  if (target instanceof vscode.Uri && more instanceof vscode.Range) return addLines(to, target, more);
  const chosen = Array.isArray(more) && more.length > 0 ? more : [target];
  const uris = chosen.filter((one) => one instanceof vscode.Uri);
  const active = vscode.window.activeTextEditor?.document.uri;
  if (uris.length === 0 && active) uris.push(active);
  if (uris.length === 0) {
    void showInformationMessage(t('Open a file, or select one in the Explorer, to add it to the chat.'));
    return;
  }
  await to.attachments.attachChosen(uris.slice(0, MAX_FILES));
}

/** Attaches lines of a document to the draft. */
async function addLines(to: ChatTarget, uri: vscode.Uri, range: vscode.Range): Promise<void> {
  const lines = { first: range.start.line + 1, last: range.end.line + 1 };
  to.attachments.allow(uri);
  await to.chat.attach([{ kind: 'lines', uri: uri.toString(), label: linesLabel(uri, lines), lines }], []);
}

/** Attaches all problems of the workspace, read when the message is sent. */
export async function addProblems(to: ChatTarget): Promise<void> {
  await to.chat.attach([{ kind: 'problems', label: t('Problems') }], []);
}

/** A changed file in the Source Control view. Git's own entries name their group. */
interface ChangedFile {
  readonly uri: vscode.Uri;
  readonly isStaged: boolean;
}

/** Git's `ResourceGroupType.Index`. */
const INDEX_GROUP = 1;

/**
 * "Add Changes to Chat" of the Source Control view.
 * @param targets changed files or groups of them, as menus pass them
 */
export async function addChanges(to: ChatTarget, targets: readonly unknown[]): Promise<void> {
  const { changed, whole, remarks, unread } = await readChanges(targets.flatMap(filesIn));
  if (whole.length > 0) await to.attachments.attachChosen(whole.slice(0, MAX_FILES));
  const [first] = changed;
  if (!first) {
    if (whole.length === 0) await to.chat.attach([], [...remarks, t('There are no changes to add.')]);
    else if (remarks.length > 0) await to.chat.attach([], remarks);
    return;
  }
  const what = changed.length === 1 ? vscode.workspace.asRelativePath(first.uri) : t('{0} files', changed.length);
  const { text, left } = changesText(changed.map(({ diff }) => diff).join('\n'), unread);
  const all = left.length === 0 ? remarks : [...remarks, omittedNote(left)];
  await to.chat.attach([{ kind: 'text', label: t('Changes: {0}', what), text }], all);
}

/** Maximum number of names in a message to the user. */
const MAX_NAMES = 5;

function omittedNote(left: readonly string[]): string {
  const named = left.slice(0, MAX_NAMES).join(', ');
  if (left.length <= MAX_NAMES) return t('The changes are too long for one message. Omitted or truncated: {0}', named);
  return t(
    'The changes are too long for one message. Omitted or truncated: {0} and {1} more',
    named,
    left.length - MAX_NAMES,
  );
}

interface ReadChanges {
  readonly changed: { readonly uri: vscode.Uri; readonly diff: string }[];
  /** Files without a previous version. */
  readonly whole: vscode.Uri[];
  /** Which files could not be read, and why. */
  readonly remarks: string[];
  /** Names of the files beyond the limit. */
  readonly unread: string[];
}

async function readChanges(files: readonly ChangedFile[]): Promise<ReadChanges> {
  const found: ReadChanges = { changed: [], whole: [], remarks: [], unread: [] };
  let length = 0;
  for (const file of files) {
    if (length > MAX_EMBEDDED) {
      found.unread.push(vscode.workspace.asRelativePath(file.uri));
      continue;
    }
    try {
      // One git process at a time.
      const diff = await diffOf(file);
      if (diff === undefined) found.whole.push(file.uri);
      else found.changed.push({ uri: file.uri, diff });
      length += diff?.length ?? 0;
    } catch (error) {
      found.remarks.push(`${vscode.workspace.asRelativePath(file.uri)}: ${errorMessage(error)}`);
    }
  }
  return found;
}

function filesIn(target: unknown): readonly ChangedFile[] {
  if (!isObject(target)) return [];
  const { resourceUri, resourceStates } = target;
  if (Array.isArray(resourceStates)) return resourceStates.flatMap(filesIn);
  return resourceUri instanceof vscode.Uri
    ? [{ uri: resourceUri, isStaged: target['resourceGroupType'] === INDEX_GROUP }]
    : [];
}

/** Undefined for a file without a previous version or outside git repositories. */
async function diffOf({ uri, isStaged }: ChangedFile): Promise<string | undefined> {
  const repository = repositoryOf(uri);
  if (!repository) return undefined;
  const isNew = !isStaged && untrackedFiles(repository).some((one) => one.toString() === uri.toString());
  if (isNew) return undefined;
  const diff = await (isStaged ? repository.diffIndexWithHEAD(uri.fsPath) : repository.diffWithHEAD(uri.fsPath));
  return diff.trim() === '' ? undefined : diff;
}
