import * as vscode from 'vscode';
import { isObject } from '../../base/json';
import type { ChangeReview } from '../changeReview';
import { reviewedPath } from '../editor/baselineFiles';
import type { CommentLines } from './commentLines';

export interface CommentLocation extends CommentLines {
  readonly uri: vscode.Uri;
}

/**
 * The lines for a comment; undefined without a file.
 * @param target argument of a code lens; without it, the active editor's selection is used
 */
export function commentLocation(review: ChangeReview, target: unknown): CommentLocation | undefined {
  return locationOfTarget(review, target) ?? locationOfSelection();
}

function locationOfTarget(review: ChangeReview, target: unknown): CommentLocation | undefined {
  if (!isObject(target) || typeof target['path'] !== 'string') return undefined;
  const file = review.file(target['path']);
  const hunk = file?.hunks.find(({ id }) => id === target['hunkId']);
  if (!file || !hunk) return undefined;
  const { start: first, lines } = hunk.after;
  return { uri: vscode.Uri.file(file.path), first, last: Math.max(first, first + lines - 1) };
}

function locationOfSelection(): CommentLocation | undefined {
  const editor = vscode.window.activeTextEditor;
  const { uri } = editor?.document ?? {};
  if (!editor || !uri || reviewedPath(uri) === undefined) return undefined;
  const { start, end, isEmpty } = editor.selection;
  // A selection of whole lines ends at the start of the next line.
  const last = !isEmpty && end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { uri, first: start.line, last };
}
