import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { extensionOf } from '../../../shared/text/codeFenceInfo';
import type { ToolKind } from '../../../shared/state/contentBlocks';
import type { ToolEntry } from '../../../shared/state/toolCallState';
import { isText, movedPaths, foldedContent, resultText, withoutFence } from './toolCallFields';
import { searchResults } from './parseSearchResults';
import { planText } from '../../../shared/text/toolInput';
import { ToolCallContent } from './toolCallContent';
import { commandOutput } from './commandOutput';
import { CodeText } from '../text/codeText';
import { FileLocationLink } from './diffCard';
import { Icon } from '../../controls/icon';
import { CollapsibleText, prettyJson } from '../../controls/collapsibleText';
import { Markdown } from '../text/markdownText';
import { SearchList } from './searchResults';

/** The folded content of a tool call; nothing the agent sent is omitted. */
export function ToolCallFolded({ entry }: { entry: ToolEntry }): JSX.Element {
  const rest = foldedContent(entry);
  const view = VIEWS[entry.tool]?.(resultText(entry), entry);
  // Raw input and output are unfolded where nothing else describes the call.
  const isDescribed = view !== undefined || rest.length > 0 || isDescribedOutside(entry);
  const isOpen = !isDescribed || entry.tool === 'other';
  return (
    <div class="tool-rest">
      {entry.unasked === true && (
        <p class="meta muted unasked">
          <Icon name="warning" />
          {t('ran without asking')}
        </p>
      )}
      {view}
      <ToolCallContent content={view ? rest.filter((item) => !isText(item)) : rest} />
      {entry.rawInput !== undefined && <RawValue label={t('Input')} value={entry.rawInput} open={isOpen} />}
      {entry.rawOutput !== undefined && <RawValue label={t('Output')} value={entry.rawOutput} open={isOpen} />}
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
