import { assertNever } from '../../base/assert';
import { isObject } from '../../base/json';
import { lastChars } from '../../base/text';
import type { Block, ToolContent } from '../state/contentBlocks';
import { entriesFrom } from '../state/entryPages';
import type { Entry, SessionState } from '../state/sessionState';
import type { Terminal } from '../state/terminalState';
import { terminalOf } from '../state/terminalState';
import type { ToolEntry } from '../state/toolCallState';
import { outputText } from '../terminal/screenText';
import { markdownToText } from './markdownToText';

/** UTF-16 units of one entry that are searched among all sessions. */
const MAX_ENTRY_LENGTH = 65_536;
/** Depth of the search in raw data. */
const MAX_RAW_DEPTH = 6;

type Terminals = Readonly<Record<string, Terminal>>;

interface SearchedText {
  /** Length of the end of a command's output that is searched, in UTF-16 units. */
  readonly maxOutput: number;
  /** Messages are searched as they are shown, without Markdown. */
  readonly isShown: boolean;
}

const STORED: SearchedText = { maxOutput: 16_384, isShown: false };

/** The searchable text of an entry, in lines: its beginning and end. Pure. */
export function entrySearchText(entry: Entry, terminals: Terminals): string {
  const text = wholeSearchText(entry, terminals, STORED);
  return text.length <= MAX_ENTRY_LENGTH
    ? text
    : `${text.slice(0, MAX_ENTRY_LENGTH * 0.75)}\n${text.slice(-MAX_ENTRY_LENGTH / 4)}`;
}

/** As {@link entrySearchText}, of any length. */
export function wholeSearchText(entry: Entry, terminals: Terminals, options: SearchedText): string {
  return partsOf(entry, terminals, options)
    .filter((part) => part !== undefined && part !== '')
    .join('\n');
}

function partsOf(entry: Entry, terminals: Terminals, options: SearchedText): readonly (string | undefined)[] {
  const shown = (text: string): string => (options.isShown ? markdownToText(text) : text);
  switch (entry.kind) {
    case 'user':
      return [entry.text, entry.expansion?.text, ...entry.blocks.map(blockText)];
    case 'agent':
    case 'thought':
    case 'relay':
      return [shown(entry.text), ...entry.blocks.map(blockText)];
    case 'compaction':
      return [shown(entry.text), ...entry.blocks.map(blockText), entry.error];
    case 'tool':
      return toolParts(entry, terminals, options.maxOutput);
    case 'permission':
      return [entry.title, entry.why, entry.destructive];
    case 'elicitation':
      return [entry.message];
    case 'notice':
      return [entry.title, entry.text];
    case 'error':
      return [entry.message, entry.detail];
    case 'raw':
      return [entry.label, ...stringsIn(entry.value)];
    case 'subagent':
      return [entry.title, entry.description, ...childParts(entry.child, options)];
    default:
      return assertNever(entry);
  }
}

/** A child session is searched as part of its entry. */
function childParts(child: SessionState, options: SearchedText): string[] {
  return Array.from(entriesFrom(child.entries), ([, entry]) => wholeSearchText(entry, child.terminals, options));
}

function toolParts(entry: ToolEntry, terminals: Terminals, maxOutput: number): (string | undefined)[] {
  const content = entry.content.flatMap((part) => contentParts(part, terminals, maxOutput));
  const raw = content.length === 0 ? stringsIn(entry.rawOutput) : [];
  return [entry.title, ...entry.locations.map(({ label }) => label), ...stringsIn(entry.rawInput), ...content, ...raw];
}

function contentParts(part: ToolContent, terminals: Terminals, maxOutput: number): (string | undefined)[] {
  switch (part.type) {
    case 'block':
      return [blockText(part.block)];
    case 'diff':
      return [part.label, ...part.hunks.flatMap(({ lines }) => lines.map(({ text }) => text))];
    case 'terminal': {
      const terminal = terminalOf(terminals, part.terminalId);
      return terminal ? [terminal.command, outputText(lastChars(terminal.output, maxOutput))] : [];
    }
    case 'raw':
      return stringsIn(part.value);
    default:
      return assertNever(part);
  }
}

function blockText(block: Block): string | undefined {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'link':
      return [block.title ?? block.name, block.uri].join('\n');
    case 'resource':
      return [block.uri, block.text ?? ''].join('\n');
    case 'image':
    case 'audio':
      return undefined;
    case 'raw':
      return stringsIn(block.value).join('\n');
    default:
      return assertNever(block);
  }
}

function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (depth >= MAX_RAW_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((one) => stringsIn(one, depth + 1));
  return isObject(value) ? Object.values(value).flatMap((one) => stringsIn(one, depth + 1)) : [];
}
