import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { ToolKind } from '../../../shared/state/contentBlocks';
import type { ToolEntry } from '../../../shared/state/toolCallState';
import { commandText, toolCommand } from '../../../shared/text/toolInput';
import { FileLocationLink } from './diffCard';
import { searchResults, searchSummary } from './parseSearchResults';
import { fetchAddress, movedPaths, readRange, resultText } from './toolCallFields';
import { splitPath } from './toolCallTitle';

interface DetailProps {
  readonly entry: ToolEntry;
  /** Displayed title; its content is not repeated. */
  readonly title: string;
}

/** Secondary text of a row, truncated first. */
export function ToolDetail({ entry, title }: DetailProps): JSX.Element | null {
  const detail = SPECIAL[entry.tool]?.(entry, title) ?? <Locations entry={entry} title={title} />;
  return <span class="tool-detail muted">{detail}</span>;
}

type Special = (entry: ToolEntry, title: string) => JSX.Element | string | undefined;

/** Details by tool kind, in addition to locations. */
const SPECIAL: Partial<Record<ToolKind, Special>> = {
  search: searchSummaryOf,
  fetch: address,
  move: moveSummaryOf,
  execute: command,
  read: range,
};

function searchSummaryOf(entry: ToolEntry): string | undefined {
  const text = entry.status === 'done' ? resultText(entry) : undefined;
  const results = text === undefined ? undefined : searchResults(text);
  return results && searchSummary(results);
}

function address({ rawInput }: ToolEntry, title: string): JSX.Element | undefined {
  const url = fetchAddress(rawInput, title);
  if (url === undefined) return undefined;
  return (
    <button type="button" class="place" data-href={url} title={escapeInvisibleInline(url)} dir="ltr">
      {title.includes(url) ? t('Open link') : escapeInvisibleInline(url)}
    </button>
  );
}

function moveSummaryOf({ rawInput, locations }: ToolEntry, title: string): JSX.Element | undefined {
  const paths = movedPaths(rawInput);
  if (!paths || (title.includes(paths.from) && title.includes(paths.to))) return undefined;
  const label = (path: string): string =>
    escapeInvisibleInline(locations.find((location) => location.path === path)?.label ?? path);
  return (
    <bdi class="moved" dir="ltr">
      <span>{label(paths.from)} →</span> <FileLocationLink path={paths.to} label={label(paths.to)} />
    </bdi>
  );
}

/** Omitted if a terminal card shows the command. */
function command({ rawInput, content, waiting }: ToolEntry, title: string): JSX.Element | string | undefined {
  // The permission request shows it.
  if (waiting > 0) return '';
  const line = toolCommand(rawInput);
  const text = line && escapeInvisibleInline(commandText(line));
  if (text === undefined || title.includes(text) || content.some(({ type }) => type === 'terminal')) return undefined;
  return (
    <code dir="ltr" title={text}>
      {text}
    </code>
  );
}

function range({ rawInput, locations }: ToolEntry, title: string): JSX.Element | undefined {
  const lines = readRange(rawInput);
  const [first, ...more] = locations;
  if (!lines || !first || more.length > 0) return undefined;
  const { line, lastLine } = lines;
  const text = lastLine === undefined ? t('from line {0}', line) : t('lines {0}–{1}', line, lastLine);
  return (
    <FileLocationLink
      {...first}
      {...lines}
      {...(isNamedIn(title, first.label) && { text: withFolder(text, first.label) })}
    />
  );
}

function Locations({ entry: { locations, content }, title }: DetailProps): JSX.Element | null {
  const [first] = locations;
  // The diff card names its file.
  const isNamed = content.some((item) => item.type === 'diff' && item.path === first?.path);
  if (!first || (isNamed && first.line === undefined)) return null;
  if (locations.length > 1) return <>{t('{0} locations', locations.length)}</>;
  if (!isNamedIn(title, first.label)) return <FileLocationLink {...first} />;
  const text = withFolder(first.line === undefined ? undefined : t('line {0}', first.line), first.label);
  return text === '' ? null : <FileLocationLink {...first} text={text} />;
}

/** Whether the title has the base name, so that only line and folder are left to say. */
function isNamedIn(title: string, label: string): boolean {
  return title.includes(splitPath(label).name);
}

function withFolder(text: string | undefined, label: string): string {
  return [text, splitPath(label).folder].filter(Boolean).join(' · ');
}
