import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { escapeInvisible } from '../../../base/untrustedText';
import type { ToolKind } from '../../../shared/state/contentBlocks';
import type { ToolEntry } from '../../../shared/state/toolCallState';
import { extensionOf } from '../../../shared/text/codeFenceInfo';
import { planText } from '../../../shared/text/toolInput';
import { CollapsibleText, prettyJson } from '../../controls/collapsibleText';
import { Icon } from '../../controls/icon';
import { CodeText } from '../text/codeText';
import { Markdown } from '../text/markdownText';
import { commandOutput } from './commandOutput';
import { FileLocationLink } from './diffCard';
import { searchResults } from './parseSearchResults';
import type { FoundFile, SearchMatch, SearchResults } from './parseSearchResults';
import { PathName } from './pathName';
import { ToolCallContent } from './toolCallContent';
import { isTextContent, movedPaths, foldedContent, resultText, withoutFence } from './toolCallFields';

/** The folded content of a tool call; nothing the agent sent is omitted. */
export function ToolCallFolded({ entry }: { entry: ToolEntry }): JSX.Element {
  const rest = foldedContent(entry);
  const view = VIEWS[entry.tool]?.(resultText(entry), entry);
  // Raw input and output are unfolded where nothing else describes the call.
  const isDescribed = view !== undefined || rest.length > 0 || isDescribedOutside(entry);
  const isFailed = entry.status === 'failed';
  const isInputOpen = !isFailed && (!isDescribed || entry.tool === 'other');
  // The error of a failed call, unless the text above or the output of the command has it.
  const isOutputOpen = isFailed ? !view && rest.length === 0 && commandOutput(entry) === undefined : isInputOpen;
  return (
    <div class="tool-rest">
      {entry.unasked === true && (
        <p class="meta muted unasked">
          <Icon name="warning" />
          {t('ran without asking')}
        </p>
      )}
      {view}
      <ToolCallContent content={view ? rest.filter((item) => !isTextContent(item)) : rest} />
      {entry.rawInput !== undefined && <RawValue label={t('Input')} value={entry.rawInput} open={isInputOpen} />}
      {entry.rawOutput !== undefined && <RawValue label={t('Output')} value={entry.rawOutput} open={isOutputOpen} />}
      {entry.locations.length > 1 && (
        <p class="places">
          {entry.locations.map((location, index) => (
            <FileLocationLink key={index} {...location} />
          ))}
        </p>
      )}
    </div>
  );
}

/** In the row, or in a card below it. */
function isDescribedOutside(entry: ToolEntry): boolean {
  const { content, locations, rawInput } = entry;
  if (content.length > 0 || locations.length > 0 || movedPaths(rawInput)) return true;
  return commandOutput(entry) !== undefined;
}

type View = (text: string | undefined, entry: ToolEntry) => JSX.Element | undefined;

/** View by tool kind; Markdown otherwise. */
const VIEWS: Partial<Record<ToolKind, View>> = {
  read: (text, { locations }) =>
    text === undefined ? undefined : <ReadText text={text} path={locations[0]?.path ?? ''} />,
  search: (text) => (text === undefined ? undefined : <SearchText text={text} />),
  switch_mode: (text, { rawInput }) => {
    const plan = text === undefined ? planText(rawInput) : undefined;
    return plan === undefined ? undefined : <Markdown text={plan} />;
  },
};

function ReadText({ text, path }: { text: string; path: string }): JSX.Element {
  const { text: inside, info } = withoutFence(text);
  return <CodeText text={inside} language={extensionOf(path) || (info ?? '')} />;
}

function SearchText({ text }: { text: string }): JSX.Element {
  const inside = withoutFence(text).text;
  const results = searchResults(inside);
  return results ? <SearchList results={results} /> : <CollapsibleText text={inside} />;
}

function RawValue({ label, value, open }: { label: string; value: unknown; open: boolean }): JSX.Element {
  return (
    <details class="raw-value" open={open}>
      <summary class="meta muted">{label}</summary>
      <CollapsibleText text={prettyJson(value)} />
    </details>
  );
}

/** Files and lines before "Show all". */
const FIRST_ROWS = 20;
/** UTF-16 units shown of a line. */
const MAX_LINE_CHARS = 300;

/** Matches by file, as links. */
function SearchList({ results }: { results: SearchResults }): JSX.Element {
  const [all, setAll] = useState(false);
  const { files, notes } = results;
  const rows = files.reduce((sum, { hits }) => sum + 1 + hits.length, 0);
  const shown = all ? files : firstRows(files, FIRST_ROWS);
  return (
    <div class="search-results">
      <ul aria-label={t('Results')}>
        {shown.map((file, index) => (
          <File key={index} file={file} />
        ))}
      </ul>
      {rows > FIRST_ROWS && !all && (
        <button type="button" class="link-button" onClick={() => setAll(true)}>
          {t('Show all')}
        </button>
      )}
      {notes.map((note, index) => (
        <p key={index} class="muted">
          {note}
        </p>
      ))}
    </div>
  );
}

function File({ file: { path, hits } }: { file: FoundFile }): JSX.Element {
  return (
    <li>
      <button type="button" class="place" aria-label={path} data-path={path} title={path} dir="ltr">
        <PathName label={path} />
      </button>
      {hits.length > 0 && (
        <ul>
          {hits.map((hit, index) => (
            <Hit key={index} path={path} hit={hit} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Hit({ path, hit: { line, text, isContext } }: { path: string; hit: SearchMatch }): JSX.Element {
  const shown = text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)}…` : text;
  return (
    <li class={isContext ? 'hit context' : 'hit'}>
      <button type="button" data-path={path} data-line={line} title={`${path}:${line}`} dir="ltr">
        <span class="hit-line">{line}</span>
        <code>{escapeInvisible(shown.trim())}</code>
      </button>
    </li>
  );
}

function firstRows(files: readonly FoundFile[], max: number): FoundFile[] {
  const first: FoundFile[] = [];
  let room = max;
  for (const file of files) {
    if (room <= 0) break;
    first.push({ ...file, hits: file.hits.slice(0, room - 1) });
    room -= 1 + file.hits.length;
  }
  return first;
}
