import { asArray, asNumber, asString, isObject } from '../../../base/json';
import type { ToolContent } from '../../../shared/state/contentBlocks';
import type { ToolEntry } from '../../../shared/state/sessionState';

/** What agents put into tool calls, in the shapes that they are known to use; everything is optional and checked. */

/** Lines of a file, 1-based; without `lastLine` to its end. */
export interface LineRange {
  readonly line: number;
  readonly lastLine?: number;
}

/** The text of a tool call's content, in one; else the text of its raw output. Undefined when there is none. */
export function resultText({ content, rawOutput }: Pick<ToolEntry, 'content' | 'rawOutput'>): string | undefined {
  const texts = content.flatMap((item) =>
    item.type === 'block' && item.block.type === 'text' ? [item.block.text] : [],
  );
  if (texts.length > 0) return texts.join('\n');
  return outputText(rawOutput);
}

/** Whether there is anything to fold. */
export function hasFoldedContent(entry: ToolEntry): boolean {
  return foldedContent(entry).length > 0 || entry.rawInput !== undefined || entry.rawOutput !== undefined;
}

/** The content that has no card of its own below the row: what a command printed has one. */
export function foldedContent({ tool, content }: Pick<ToolEntry, 'tool' | 'content'>): readonly ToolContent[] {
  return content.filter(
    (item) => item.type === 'raw' || (item.type === 'block' && !(tool === 'execute' && isText(item))),
  );
}

export function isText(item: ToolContent): boolean {
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

/** The text within the fence that stands around all of it, and what stands behind the fence; else the text as it is. */
export function unfenced(text: string): { readonly text: string; readonly info?: string } {
  // All of the marker, or a long one would be tried in every length, each time through all of the text.
  const match = /^\s*(`{3,}(?!`)|~{3,}(?!~))([^\n`]*)\n([\s\S]*?)\n?\1\s*$/.exec(text);
  const inside = match?.[3];
  // A fence within would end the first one: then it is not around all.
  if (!match || inside === undefined || inside.includes(match[1] ?? '```')) return { text };
  return { text: inside, info: match[2]?.trim() ?? '' };
}

/** Which lines a tool call reads. */
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

/** The web address that a tool call reads. */
export function fetchAddress(rawInput: unknown, title: string): string | undefined {
  const fields = isObject(rawInput) ? ['url', 'uri', 'href', 'address'].map((field) => asString(rawInput[field])) : [];
  const named = fields.find((value) => value !== undefined && /^https?:\/\//i.test(value));
  return named ?? /https?:\/\/[^\s"'<>`)\]]+/i.exec(title)?.[0];
}

const FROM_FIELDS = ['source', 'source_path', 'sourcePath', 'from', 'old_path', 'oldPath', 'src'];
const TO_FIELDS = ['destination', 'destination_path', 'destinationPath', 'to', 'new_path', 'newPath', 'target', 'dest'];

/** What a tool call moves, and where to; as it stands there. */
export function movedPaths(rawInput: unknown): { readonly from: string; readonly to: string } | undefined {
  if (!isObject(rawInput)) return undefined;
  const [from, to] = [FROM_FIELDS, TO_FIELDS].map((fields) =>
    fields.map((field) => asString(rawInput[field])).find((path) => path !== undefined && path !== ''),
  );
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}

/** The exit code of a command that the agent ran by itself. */
export function exitCode(rawOutput: unknown): number | undefined {
  if (!isObject(rawOutput)) return undefined;
  const inner = [rawOutput, rawOutput['metadata'], ...asArray(rawOutput['contents'])].filter(isObject);
  const codes = inner.flatMap((each) =>
    ['exit_code', 'exitCode', 'exit', 'code'].map((field) => asNumber(each[field])),
  );
  return codes.find((code) => code !== undefined);
}

/** The plan that the agent wants to leave its planning mode with, where it is not in the content. */
export function planText(rawInput: unknown): string | undefined {
  const plan = isObject(rawInput) ? asString(rawInput['plan']) : undefined;
  return plan === undefined || plan.trim() === '' ? undefined : plan;
}
