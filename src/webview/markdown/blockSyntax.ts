/** Detects which block a line starts (CommonMark 0.31, GFM 0.29). Pure, reads one line only. */

import { mathBlockEnd } from './mathSyntax';

/** A line of at least this length is never a rule, underline, delimiter row or fence: its end is unknown yet. */
export const LONG_LINE_LENGTH = 2048;

export interface Fence {
  readonly marker: string;
  readonly indent: number;
  readonly info: string;
}

export interface ListMarker {
  /** `-`, `+`, `*`, `.` or `)`: items with different types belong to different lists. */
  readonly type: string;
  readonly ordered: boolean;
  readonly start: number;
  /** Start column of the item's content. */
  readonly content: number;
  /** The rest of the line. */
  readonly text: string;
}

export function isBlank(line: string): boolean {
  return !/[^ \t]/.test(line);
}

const fencePattern = /^( {0,3})(`{3,}|~{3,})(.*)$/;

export function fenceStart(line: string): Fence | undefined {
  if (line.length >= LONG_LINE_LENGTH) return undefined;
  const match = fencePattern.exec(line);
  if (!match) return undefined;
  const [, indent = '', marker = '', info = ''] = match;
  if (marker.startsWith('`') && info.includes('`')) return undefined;
  return { marker, indent: indent.length, info: info.trim() };
}

export function closesFence(line: string, fence: Fence): boolean {
  if (line.length >= LONG_LINE_LENGTH) return false;
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line);
  const marker = match?.[1];
  return marker !== undefined && marker[0] === fence.marker[0] && marker.length >= fence.marker.length;
}

const rulePattern = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;

export function isRule(line: string): boolean {
  return line.length < LONG_LINE_LENGTH && rulePattern.test(line);
}

export function isHeading(line: string): boolean {
  return /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line);
}

export function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

/** The underline of a setext heading. */
export function isUnderline(line: string): boolean {
  return line.length < LONG_LINE_LENGTH && /^ {0,3}(?:=+|-+)[ \t]*$/.test(line);
}

/** The second line of a GFM table. */
export function isDelimiterRow(line: string): boolean {
  return (
    line.length < LONG_LINE_LENGTH && /[|:]/.test(line) && /^ {0,3}\|?(?: *:?-+:? *\|)* *:?-+:? *\|? *$/.test(line)
  );
}

/** `[^label]: text`: the label and the text after it. */
export function footnoteStart(line: string): { label: string; text: string } | undefined {
  const match = /^ {0,3}\[\^([^\]\s]{1,100})\]:[ \t]*/.exec(line);
  const label = match?.[1];
  return match && label !== undefined ? { label, text: line.slice(match[0].length) } : undefined;
}

export function listMarker(line: string): ListMarker | undefined {
  const match = /^( {0,3})([-+*]|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(line);
  if (!match || isRule(line)) return undefined;
  const [head, , bullet = '', number, delimiter] = match;
  const rest = line.slice(head.length);
  const blank = isBlank(rest);
  const gap = blank ? 1 : indentOf(rest, head.length);
  const used = gap > 4 ? 1 : gap;
  return {
    type: delimiter ?? bullet,
    ordered: delimiter !== undefined,
    start: Number(number ?? 1),
    content: head.length + used,
    text: blank ? '' : (stripIndent(rest, used, head.length) ?? ''),
  };
}

/** Whether this line ends a paragraph by starting another block. An ordered list does so only when it starts at 1. */
export function interruptsParagraph(line: string): boolean {
  if (isHeading(line) || isQuote(line) || isRule(line) || fenceStart(line) || footnoteStart(line)) return true;
  if (line.length < LONG_LINE_LENGTH && mathBlockEnd(line) !== undefined) return true;
  const marker = listMarker(line);
  return marker !== undefined && marker.text !== '' && (!marker.ordered || marker.start === 1);
}

export function startsBlock(line: string): boolean {
  return interruptsParagraph(line) || listMarker(line) !== undefined;
}

/** Width of the leading white space in columns; a tab advances to the next multiple of four. */
export function indentOf(line: string, column = 0): number {
  let width = 0;
  for (let index = 0; index < line.length; index++) {
    const character = line[index];
    if (character === ' ') width++;
    else if (character === '\t') width += 4 - ((column + width) % 4);
    else break;
  }
  return width;
}

/** The line without its first `columns` of white space; undefined when it has fewer. */
export function stripIndent(line: string, columns: number, column = 0): string | undefined {
  let width = 0;
  let index = 0;
  while (width < columns) {
    const character = line[index];
    if (character === ' ') width++;
    else if (character === '\t') width += 4 - ((column + width) % 4);
    else return undefined;
    index++;
  }
  return ' '.repeat(width - columns) + line.slice(index);
}
