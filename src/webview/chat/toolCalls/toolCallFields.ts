import { asArray, asNumber, asString, isObject } from '../../../base/json';
import type { ToolContent } from '../../../shared/state/contentBlocks';
import type { ToolEntry } from '../../../shared/state/toolCallState';

/** Parses known shapes of agents' tool call fields; everything is optional and validated. */

/** 1-based; to the end of the file without `lastLine`. */
interface LineRange {
  readonly line: number;
  readonly lastLine?: number;
}

/** Joined text of a tool call's content, else of its raw output. */
export function resultText({ content, rawOutput }: ToolEntry): string | undefined {
  const texts = content.flatMap((item) =>
    item.type === 'block' && item.block.type === 'text' ? [item.block.text] : [],
  );
  // Joining copies a text that is still growing.
  if (texts.length === 1) return texts[0];
  if (texts.length > 0) return texts.join('\n');
  return outputText(rawOutput);
}

export function hasFoldedContent(entry: ToolEntry): boolean {
  const { rawInput, rawOutput, unasked } = entry;
  return unasked === true || foldedContent(entry).length > 0 || rawInput !== undefined || rawOutput !== undefined;
}

/** Content without its own card. */
export function foldedContent({ tool, content }: ToolEntry): readonly ToolContent[] {
  return content.filter(
    (item) => item.type === 'raw' || (item.type === 'block' && !(tool === 'execute' && isTextContent(item))),
  );
}

export function isTextContent(item: ToolContent): boolean {
  return item.type === 'block' && item.block.type === 'text';
}

const OUTPUT_FIELDS = [
  'output',
  'stdout',
  'formatted_output',
  'aggregated_output',
  'text',
  'content',
  'result',
  'llmContent',
];

function outputText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  const list = Array.isArray(value) ? value : isObject(value) ? asArray(value['content']) : [];
  const texts = list.flatMap((item) => (isObject(item) ? (asString(item['text']) ?? []) : []));
  if (texts.length > 0) return texts.join('\n');
  if (!isObject(value)) return undefined;
  const fields = OUTPUT_FIELDS.map((field) => asString(value[field]));
  return fields.find((text) => text !== undefined && text !== '');
}

/** The text inside a fence that encloses everything, and its info string; else the text unchanged. */
export function withoutFence(text: string): { readonly text: string; readonly info?: string } {
  const marker = /^\s*(```|~~~)/.exec(text)?.[1];
  // Most texts have no fence, or one that is still open.
  if (marker === undefined || !text.trimEnd().endsWith(marker)) return { text };
  // Matches the complete marker: backtracking over marker lengths would be quadratic.
  const match = /^\s*(`{3,}(?!`)|~{3,}(?!~))([^\n`]*)\n([\s\S]*?)\n?\1\s*$/.exec(text);
  const inside = match?.[3];
  // An inner fence would end the outer one: it does not enclose everything.
  if (!match || inside === undefined || inside.includes(match[1] ?? '```')) return { text };
  return { text: inside, info: match[2]?.trim() ?? '' };
}

export function readRange(rawInput: unknown): LineRange | undefined {
  if (!isObject(rawInput)) return undefined;
  const [first, last] = asArray(rawInput['view_range'] ?? rawInput['range'] ?? rawInput['lines']).map(asNumber);
  const line = first ?? numberIn(rawInput, START_FIELDS);
  if (line === undefined || line < 1) return undefined;
  const end = last ?? numberIn(rawInput, END_FIELDS) ?? lengthEnd(rawInput, line);
  return end !== undefined && end >= line ? { line, lastLine: end } : { line };
}

const START_FIELDS = ['start_line', 'startLine', 'line_start', 'lineStart', 'start_line_one_indexed', 'offset', 'line'];
const END_FIELDS = ['end_line', 'endLine', 'line_end', 'lineEnd', 'end_line_one_indexed_inclusive'];

function numberIn(input: Readonly<Record<string, unknown>>, fields: readonly string[]): number | undefined {
  return fields.map((field) => asNumber(input[field])).find((value) => value !== undefined);
}

function lengthEnd(input: Readonly<Record<string, unknown>>, line: number): number | undefined {
  const limit = asNumber(input['limit']);
  return limit === undefined ? undefined : line + limit - 1;
}

export function fetchAddress(rawInput: unknown, title: string): string | undefined {
  const fields = isObject(rawInput) ? ['url', 'uri', 'href', 'address'].map((field) => asString(rawInput[field])) : [];
  const named = fields.find((value) => value !== undefined && /^https?:\/\//i.test(value));
  return named ?? /https?:\/\/[^\s"'<>`)\]]+/i.exec(title)?.[0];
}

const FROM_FIELDS = ['source', 'source_path', 'sourcePath', 'from', 'old_path', 'oldPath', 'src'];
const TO_FIELDS = ['destination', 'destination_path', 'destinationPath', 'to', 'new_path', 'newPath', 'target', 'dest'];

/** Paths of a move, unchanged. */
export function movedPaths(rawInput: unknown): { readonly from: string; readonly to: string } | undefined {
  if (!isObject(rawInput)) return undefined;
  const [from, to] = [FROM_FIELDS, TO_FIELDS].map((fields) =>
    fields.map((field) => asString(rawInput[field])).find((path) => path !== undefined && path !== ''),
  );
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}

/** Exit code of an agent-owned command. */
export function exitCode(rawOutput: unknown): number | undefined {
  if (!isObject(rawOutput)) return undefined;
  const inner = [rawOutput, rawOutput['metadata'], ...asArray(rawOutput['contents'])].filter(isObject);
  const codes = inner.flatMap((each) =>
    ['exit_code', 'exitCode', 'exit', 'code'].map((field) => asNumber(each[field])),
  );
  return codes.find((code) => code !== undefined);
}
