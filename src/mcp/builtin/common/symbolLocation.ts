import * as vscode from 'vscode';
import type { ToolContext } from '../../../session/toolServer';
import type { Zod } from '../../contract/toolServerTypes';
import { ToolError } from '../../contract/toolServerTypes';
import { openToRead } from './readableFiles';
import { labelOf } from './workspaceFile';
import type { OpenedDocument } from './workspaceFile';

/** 0-based. */
interface Occurrence {
  readonly line: number;
  readonly character: number;
}

const WORD = /[\p{L}\p{N}_$]/u;

/** UTF-16 units of a name, and of a part of a line. */
export const MAX_NAME = 1_000;
/** UTF-16 units of a file in which a name is looked up. */
const MAX_TEXT = 4_000_000;
/** Maximum number of places in each list. */
const MAX_PLACES = 10_000;

/**
 * The first places where a name occurs as a whole word, in order; those of every occurrence if the file has it nowhere as a word.
 * @param isWanted whether the places in a line are returned
 */
function occurrences(
  lines: readonly string[],
  symbol: string,
  isWanted: (line: number, text: string) => boolean,
): readonly Occurrence[] {
  let isWord = false;
  const [whole, all]: [Occurrence[], Occurrence[]] = [[], []];
  for (const [line, text] of symbol === '' ? [] : lines.entries()) {
    const places = isWanted(line, text);
    if (isWord && !places) continue;
    for (let at = text.indexOf(symbol); at !== -1; at = text.indexOf(symbol, at + symbol.length)) {
      const found = isWhole(text, at, symbol) ? whole : all;
      isWord ||= found === whole;
      if (places && found.length < MAX_PLACES) found.push({ line, character: at });
      if (isWord && (!places || whole.length >= MAX_PLACES)) break;
    }
    if (whole.length >= MAX_PLACES) break;
  }
  return isWord ? whole : all;
}

function isWhole(text: string, at: number, symbol: string): boolean {
  const before = text[at - 1] ?? '';
  const after = text[at + symbol.length] ?? '';
  const startsWithLetter = WORD.test(symbol[0] ?? '');
  const endsWithLetter = WORD.test(symbol.at(-1) ?? '');
  return !(startsWithLetter && WORD.test(before)) && !(endsWithLetter && WORD.test(after));
}

/** A symbol's location as models can give it: models often give wrong columns. */
export interface SymbolLocationInput {
  readonly path: string;
  readonly symbol: string;
  readonly line?: number | undefined;
  readonly line_text?: string | undefined;
}

export function symbolLocationFields(z: Zod) {
  return {
    path: z.string().describe('File, relative to a workspace folder'),
    symbol: z.string().max(MAX_NAME).describe('The name exactly as it stands in the file'),
    line: z
      .int()
      .min(1)
      .optional()
      .describe('1-based line on which the name stands; the first one in the file when absent'),
    line_text: z
      .string()
      .max(MAX_NAME)
      .optional()
      .describe('The text of that line, or a part of it, in place of the number'),
  };
}

interface SymbolPosition extends OpenedDocument {
  readonly position: vscode.Position;
}

/** @throws ToolError that names what was not found, and where the name does occur */
export async function findSymbol(input: SymbolLocationInput, context: ToolContext): Promise<SymbolPosition> {
  const opened = await openToRead(input.path, context);
  const text = opened.document.getText();
  if (text.length > MAX_TEXT)
    throw new ToolError(`${opened.label} is too long to find a name in it.`, 'Search it by a command.');
  const lines = text.split(/\r\n|\r|\n/);
  const [first] = occurrences(lines, input.symbol, (line, each) => matchesText(line, each, input));
  if (first) return { ...opened, position: new vscode.Position(first.line, first.character) };
  const found = occurrences(lines, input.symbol, () => true);
  const lineNumbers = found.slice(0, 10).map(({ line }) => line + 1);
  const where =
    lineNumbers.length === 0 ? 'It does not stand in the file.' : `It stands on line ${lineNumbers.join(', ')}.`;
  const at = input.line === undefined ? '' : ` on line ${input.line}`;
  throw new ToolError(`There is no ${JSON.stringify(input.symbol)}${at} in ${opened.label}.`, where);
}

function matchesText(
  line: number,
  text: string,
  { line: expectedLine, line_text: expectedText }: SymbolLocationInput,
): boolean {
  if (expectedLine !== undefined && line + 1 !== expectedLine) return false;
  return expectedText === undefined || text.includes(expectedText.trim());
}

export interface LineLocation {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** The location of a range with the text of its line, at most 200 characters. */
export async function lineAt(uri: vscode.Uri, { start }: vscode.Range): Promise<LineLocation> {
  const path = labelOf(uri);
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    return { path, line: start.line + 1, text: document.lineAt(start.line).text.trim().slice(0, 200) };
  } catch {
    // The location is in a library that cannot be read, or past the end of a file that has changed.
    return { path, line: start.line + 1, text: '' };
  }
}

/** For example `src/a.ts:12  const x = 1`. */
export function locationText({ path, line, text }: LineLocation): string {
  return `${path}:${line}  ${text}`;
}
