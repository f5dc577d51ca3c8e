import { asArray, asNumber, asObject, asString, isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { ConfigOption } from '../../shared/state/configOptionState';
import type { Block, DiffContent, Location, ToolContent, ToolKind } from '../../shared/state/contentBlocks';
import { MAX_CALL_PARTS, toolKinds } from '../../shared/state/contentBlocks';
import type { PlanState } from '../../shared/state/planState';
import type { Action } from '../../shared/state/sessionActions';
import type { EntryPages } from '../../shared/state/sessionState';
import type { TerminalState } from '../../shared/state/terminalState';
import type { EntryIndex } from '../entryIndex';

/** The entries in which an update finds its call. */
export interface IndexedEntries {
  readonly entries: EntryPages;
  readonly index: EntryIndex;
}

/** Data of the session that a translation needs. */
export interface TranslateContext extends IndexedEntries {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly selectors: readonly ConfigOption[];
  readonly terminals: TerminalState['terminals'];
  readonly plans: PlanState['plans'];
  /** The path for display. */
  label(path: string): string;
  /** Computes and stores a diff. `oldText` undefined means a new file. */
  diff(path: string, oldText: string | undefined, newText: string): DiffContent;
  /** Display name: the title of a child session, undefined if unknown. */
  sessionName(sessionId: string): string | undefined;
  /** Logs what was skipped. */
  logSkipped(text: string): void;
}

/** An unknown update, stored and shown as it is (I4). */
export function translateUnknown(update: JsonObject, { now }: TranslateContext): Action {
  const { sessionUpdate, ...value } = update;
  return { type: 'rawReceived', label: asString(sessionUpdate) ?? t('update'), value, at: now };
}

/** Leniently parses ACP content; unknown content is kept as `raw`. */

export function toBlock(value: unknown): Block {
  const block = asObject(value);
  if (!block) return { type: 'raw', value };
  return toKnownBlock(block) ?? { type: 'raw', value };
}

function toKnownBlock(block: JsonObject): Block | undefined {
  const text = asString(block['text']);
  const data = asString(block['data']);
  const mimeType = asString(block['mimeType']);
  const uri = asString(block['uri']);
  switch (block['type']) {
    case 'text':
      return text === undefined ? undefined : { type: 'text', text };
    case 'image':
      return data === undefined || mimeType === undefined
        ? undefined
        : { type: 'image', data, mimeType, ...omitUndefined({ uri }) };
    case 'audio':
      return data === undefined || mimeType === undefined ? undefined : { type: 'audio', data, mimeType };
    case 'resource_link':
      return uri === undefined ? undefined : toLink(block, uri);
    case 'resource':
      return toResource(asObject(block['resource']));
    default:
      return undefined;
  }
}

function toLink(block: JsonObject, uri: string): Block {
  const title = asString(block['title']);
  const size = asNumber(block['size']);
  const mimeType = asString(block['mimeType']);
  return { type: 'link', uri, name: asString(block['name']) ?? uri, ...omitUndefined({ title, size, mimeType }) };
}

function toResource(resource: JsonObject | undefined): Block | undefined {
  const uri = asString(resource?.['uri']);
  if (!resource || uri === undefined) return undefined;
  const text = asString(resource['text']);
  const blob = asString(resource['blob']);
  return { type: 'resource', uri, ...omitUndefined({ text, blob, mimeType: asString(resource['mimeType']) }) };
}

/** @param at its place among all of the call */
export function toToolContent(value: unknown, at: number, context: TranslateContext): ToolContent {
  const item = asObject(value);
  if (item?.['type'] === 'content') return { type: 'block', block: toBlock(item['content']) };
  if (item?.['type'] === 'diff' && at < MAX_CALL_PARTS) return toDiff(item, context) ?? { type: 'raw', value };
  const terminalId = asString(item?.['terminalId']);
  if (item?.['type'] === 'terminal' && terminalId !== undefined) return { type: 'terminal', terminalId };
  return { type: 'raw', value };
}

function toDiff(item: JsonObject, context: TranslateContext): DiffContent | undefined {
  const path = asString(item['path']);
  const newText = asString(item['newText']);
  if (path === undefined || newText === undefined) return undefined;
  // Agents send null, "" or nothing for a new file.
  return context.diff(path, asString(item['oldText']) || undefined, newText);
}

/** UTF-16 units of the paths of a call that are shortened for display: an agent may repeat them with each update. */
const MAX_LABELED_CHARS = 100_000;

export function toLocations(value: unknown, context: TranslateContext): Location[] {
  let left = MAX_LABELED_CHARS;
  // One more than a request may have, so that it counts as one with too many.
  return asArray(value)
    .slice(0, MAX_CALL_PARTS + 1)
    .filter(isObject)
    .flatMap((item) => {
      const path = asString(item['path']);
      if (path === undefined) return [];
      left -= path.length;
      const line = asNumber(item['line']);
      // Lines are 1-based in ACP, though its schema allows 0.
      return [
        { path, label: left < 0 ? path : context.label(path), ...(line !== undefined && { line: Math.max(1, line) }) },
      ];
    });
}

export function toToolKind(value: unknown): ToolKind | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' && toolKinds.has(value) ? (value as ToolKind) : 'other';
}
