/** Content of messages and tool calls, in our own words; `session/translate` makes it from what is on the wire. */

/** One piece of content. `raw` keeps what we do not know, so that nothing is lost. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string; readonly uri?: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly size?: number;
      readonly mimeType?: string;
    }
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly text?: string;
      readonly blob?: string;
      readonly mimeType?: string;
    }
  | { readonly type: 'raw'; readonly value: unknown };

export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch_mode'
  | 'other';

/** The kinds of ACP that are known here. */
export const toolKinds: ReadonlySet<string> = new Set<ToolKind>([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
]);

/** A place in a file; `line` is 1-based. */
export interface Location {
  readonly path: string;
  /** The path as people read it: relative to the workspace folder where it lies in one. */
  readonly label: string;
  readonly line?: number;
}

/** One line of a diff; `marks` are the [start, end) ranges of the words that changed. */
export interface DiffLine {
  readonly type: 'same' | 'added' | 'removed';
  readonly text: string;
  readonly marks?: readonly (readonly [number, number])[];
}

export interface DiffHunk {
  /** First line of the hunk in the old and the new text, 1-based. */
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly DiffLine[];
}

/** A diff ready to be shown. The two whole texts stay in the host, found by `diffId`. */
export interface DiffContent {
  readonly type: 'diff';
  readonly diffId: string;
  readonly path: string;
  readonly label: string;
  readonly isNew: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
  /** Set when the texts were too large or too different to compare line by line. */
  readonly coarse?: boolean;
  /** Lines left out of `hunks` because there are too many to show here; Open Diff has them all. */
  readonly omitted?: number;
}

export type ToolContent =
  | { readonly type: 'block'; readonly block: Block }
  | DiffContent
  | { readonly type: 'terminal'; readonly terminalId: string }
  | { readonly type: 'raw'; readonly value: unknown };
