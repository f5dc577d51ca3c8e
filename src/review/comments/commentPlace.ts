import * as vscode from 'vscode';
import { isObject } from '../../base/json';
import type { ChangeReview } from '../changeReview';
import { reviewedPath } from '../editor/baselineFiles';
import type { CommentLines } from './commentLines';

export interface CommentPlace extends CommentLines {
  readonly uri: vscode.Uri;
}

/**
 * The lines for a comment; undefined without a file.
 * @param target argument of a code lens; without it, the active editor's selection is used
 */
export function commentPlace(review: ChangeReview, target: unknown): CommentPlace | undefined {
  return placeOfTarget(review, target) ?? placeOfSelection();
}

function placeOfTarget(review: ChangeReview, target: unknown): CommentPlace | undefined {
  if (!isObject(target) || typeof target['path'] !== 'string') return undefined;
  const file = review.file(target['path']);
  const hunk = file?.hunks.find(({ id }) => id === target['hunkId']);
  if (!file || !hunk) return undefined;
  const { start: first, lines } = hunk.after;
  return { uri: vscode.Uri.file(file.path), first, last: Math.max(first, first + lines - 1) };
}

function placeOfSelection(): CommentPlace | undefined {
  const editor = vscode.window.activeTextEditor;
  const { uri } = editor?.document ?? {};
  if (!editor || !uri || reviewedPath(uri) === undefined) return undefined;
  const { start, end, isEmpty } = editor.selection;
  // A selection of whole lines ends at the start of the next line.
  const last = !isEmpty && end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { uri, first: start.line, last };
}
