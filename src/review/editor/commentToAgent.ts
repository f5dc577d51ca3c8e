import { isObject } from '../../base/json';
import * as vscode from 'vscode';
import { displayPath } from '../../node/fs/pathLabel';
import type { ChangeReview } from '../changeReview';
import { reviewedPath } from './baselineFiles';

/** 1-based. */
interface Place {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

/**
 * The start of a note to the agent: a file location for the message box; undefined when there is no file.
 * @param target of a code lens; without, the active editor's selection
 * @param folders of the workspace: absolute
 */
export function commentFor(review: ChangeReview, target: unknown, folders: readonly string[]): string | undefined {
  const place = placeOfTarget(review, target) ?? placeOfSelection();
  if (!place) return undefined;
  const { path, first, last } = place;
  return `${displayPath(path, folders)}:${first === last ? first : `${first}-${last}`}: `;
}

function placeOfTarget(review: ChangeReview, target: unknown): Place | undefined {
  if (!isObject(target) || typeof target['path'] !== 'string') return undefined;
  const file = review.file(target['path']);
  const hunk = file?.hunks.find(({ id }) => id === target['hunkId']);
  if (!file || !hunk) return undefined;
  const first = hunk.after.start + 1;
  return { path: file.path, first, last: Math.max(first, hunk.after.start + hunk.after.lines) };
}

function placeOfSelection(): Place | undefined {
  const editor = vscode.window.activeTextEditor;
  const path = editor && reviewedPath(editor.document.uri);
  if (!editor || path === undefined) return undefined;
  const { start, end, isEmpty } = editor.selection;
  // A selection of whole lines ends at the start of the next line.
  const last = !isEmpty && end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return { path, first: start.line + 1, last };
}
