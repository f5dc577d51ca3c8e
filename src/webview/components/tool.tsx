import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import { showHiddenInLine } from '../../base/visible';
import type { Location, ToolContent, ToolKind } from '../../shared/content';
import type { ToolEntry } from '../../shared/state';
import { STATUS_WORDS, shownStatus } from '../../shared/words';
import type { ShownStatus } from '../../shared/words';
import { Blocks } from './blocks';
import { DiffCard, Place } from './diff';
import { Folded, prettyJson } from './folded';
import { Icon } from './icon';
import { TerminalCard } from './terminal';

const KIND_ICONS: Record<ToolKind, string> = {
  read: 'file',
  edit: 'edit',
  delete: 'trash',
  move: 'move',
  search: 'search',
  execute: 'terminal',
  think: 'lightbulb',
  fetch: 'globe',
  switch_mode: 'arrow-swap',
  other: 'tools',
};

/** One step of work: a row, cards under it, and the rest folded. */
export function ToolRow({ entry }: { entry: ToolEntry }): JSX.Element {
  const chosen = useSignal<boolean | undefined>(undefined);
  const { cards, rest } = parts(entry);
  const folds = rest.length > 0 || entry.rawInput !== undefined || entry.rawOutput !== undefined;
  const open = folds && (chosen.value ?? entry.status === 'failed');
  const title = entry.title === '' ? t('Tool call') : showHiddenInLine(entry.title);
  const name = <bdi class="tool-title">{title}</bdi>;
  return (
    <div class={`entry tool ${entry.status}`} role="group" aria-label={t('Tool: {0}', title)}>
      <Icon name={KIND_ICONS[entry.tool] ?? KIND_ICONS.other} class="tool-icon" />
      <div class="tool-row">
        {folds ? (
          <button
            type="button"
            class="tool-name"
            aria-expanded={open}
            title={title}
            onClick={() => (chosen.value = !open)}
          >
            {name}
          </button>
        ) : (
          <span class="tool-name" title={title}>
            {name}
          </span>
        )}
        <Detail title={title} locations={entry.locations} />
        <Status status={shownStatus(entry)} />
      </div>
      {(cards.length > 0 || open) && (
        <div class="tool-body">
          {cards.map((content, index) => (
            <Card key={index} content={content} title={title} applied={entry.status === 'done'} />
          ))}
          {open && <Rest entry={entry} rest={rest} />}
        </div>
      )}
    </div>
  );
}

/** What stands under the row, and what is folded. While the person is asked, the question shows what it is about. */
function parts(entry: ToolEntry): { cards: ToolContent[]; rest: ToolContent[] } {
  const cards = entry.content.filter(
    (content) => content.type === 'terminal' || (content.type === 'diff' && entry.waiting === 0),
  );
  const rest = entry.content.filter((content) => content.type === 'block' || content.type === 'raw');
  return { cards, rest };
}

function Card({
  content,
  title,
  applied,
}: {
  content: ToolContent;
  title: string;
  applied: boolean;
}): JSX.Element | null {
  if (content.type === 'diff') return <DiffCard diff={content} applied={applied} />;
  if (content.type === 'terminal') return <TerminalCard terminalId={content.terminalId} title={title} />;
  return null;
}

function Rest({ entry, rest }: { entry: ToolEntry; rest: readonly ToolContent[] }): JSX.Element {
  return (
    <div class="tool-rest">
      <Details content={rest} />
      {entry.rawInput !== undefined && <RawValue label={t('Input')} value={entry.rawInput} />}
      {entry.rawOutput !== undefined && <RawValue label={t('Output')} value={entry.rawOutput} />}
      {entry.locations.length > 1 && (
        <p class="places">
          {entry.locations.map((location, index) => (
            <Place key={index} {...location} />
          ))}
        </p>
      )}
    </div>
  );
}

/** Blocks and unknown content of a tool call, in order. */
export function Details({ content }: { content: readonly ToolContent[] }): JSX.Element {
  return (
    <>
      {content.map((item, index) => {
        if (item.type === 'block') return <Blocks key={index} blocks={[item.block]} />;
        if (item.type === 'raw') return <Folded key={index} text={prettyJson(item.value)} />;
        return null;
      })}
    </>
  );
}

export function RawValue({ label, value }: { label: string; value: unknown }): JSX.Element {
  return (
    <div class="raw-value">
      <span class="meta muted">{label}</span>
      <Folded text={prettyJson(value)} />
    </div>
  );
}

/** Muted, and the first to give way when there is no room. */
function Detail({ title, locations }: { title: string; locations: readonly Location[] }): JSX.Element | null {
  const [first] = locations;
  if (!first) return null;
  if (locations.length > 1) return <span class="tool-detail muted">{t('{0} places', locations.length)}</span>;
  if (!title.includes(first.label)) {
    return (
      <span class="tool-detail">
        <Place {...first} />
      </span>
    );
  }
  if (first.line === undefined) return null;
  return (
    <span class="tool-detail">
      <Place {...first} text={t('line {0}', first.line)} />
    </span>
  );
}

/** The word is always there to be read out; where it goes without saying it shows as a sign. */
export function Status({ status }: { status: ShownStatus }): JSX.Element {
  return (
    <span class={`tool-status ${status}`}>
      {status === 'done' && <Icon name="check" />}
      {status === 'running' && <Icon name="loading" class="spin" />}
      <span role="status" aria-live="off" class={status === 'done' ? 'hidden-text' : ''}>
        {STATUS_WORDS[status]}
      </span>
    </span>
  );
}
