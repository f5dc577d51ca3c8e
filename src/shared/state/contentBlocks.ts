/** Content of messages and tool calls in Parley's own types; `session/translate` converts it from the wire. */

/** The resource of an MCP server that the user attached. */
export interface ResourceOrigin {
  readonly server: string;
  readonly uri: string;
}

/** One content block. `raw` holds unknown content, so that nothing is lost. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly data: string;
      readonly mimeType: string;
      readonly uri?: string;
      readonly origin?: ResourceOrigin;
    }
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
      readonly origin?: ResourceOrigin;
      /** Parley read it from a file that the user attached: it is read again when its message is sent again. */
      readonly isFile?: boolean;
    }
  | { readonly type: 'raw'; readonly value: unknown };

const TOOL_KINDS = [
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
] as const;

/** A tool kind of ACP. */
export type ToolKind = (typeof TOOL_KINDS)[number];

/** Maximum number of files, and of parts with changes, of one call: a request with more cannot be read. */
export const MAX_CALL_PARTS = 1_000;

/** Pure, so that the page's bundle leaves it out. */
export const toolKinds: ReadonlySet<string> = /* @__PURE__ */ new Set(TOOL_KINDS);

/** A position in a file; `line` is 1-based. */
export interface Location {
  readonly path: string;
  /** The displayed path: relative to its workspace folder, if any. */
  readonly label: string;
  readonly line?: number;
}

/** One line of a diff; `marks` are the [start, end) ranges of changed words. */
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

/** A diff for display. Both whole texts stay in the host, which finds them by `diffId`. */
export interface DiffContent {
  readonly type: 'diff';
  readonly diffId: string;
  readonly path: string;
  readonly label: string;
  readonly isNew: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
  /** Set when the texts were too large or too different for a comparison by line. */
  readonly coarse?: boolean;
  /** Number of lines omitted from `hunks`; Open Diff shows all. */
  readonly omitted?: number;
}

export type ToolContent =
  | { readonly type: 'block'; readonly block: Block }
  | DiffContent
  | { readonly type: 'terminal'; readonly terminalId: string }
  | { readonly type: 'raw'; readonly value: unknown };

/** Text that an update replaces (`text`, `blocks`) or extends (`more`). */
export interface TextPatch {
  readonly text?: string;
  readonly blocks?: readonly Block[];
  readonly more?: Block;
}

export function patchText<E extends { readonly text: string; readonly blocks: readonly Block[] }>(
  entry: E,
  patch: TextPatch,
): E {
  const text = patch.text ?? entry.text;
  const blocks = patch.blocks ?? entry.blocks;
  const { more } = patch;
  if (more?.type === 'text') return { ...entry, text: text + more.text, blocks };
  return { ...entry, text, blocks: more ? [...blocks, more] : blocks };
}
