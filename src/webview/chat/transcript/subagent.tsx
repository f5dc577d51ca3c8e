import { signal, useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { entriesFrom, lastEntry } from '../../../shared/state/entryPages';
import type { Entry, EntryPages, SubagentEntry } from '../../../shared/state/sessionState';
import { subagentStatus } from '../../../shared/text/statusText';
import { Icon, IconButton } from '../../controls/icon';
import type { EntryCell } from '../chatStore';
import { usePage } from '../pageContext';
import { Status } from '../toolCalls/toolCallRow';

/** Renders an entry; passed in by the transcript, because children contain entries of all kinds. */
type EntryView = ComponentType<{ cell: EntryCell<Entry> }>;

/** A child session: a row like a tool call, with its transcript inside. */
export function SubagentRow({ entry, View }: { entry: SubagentEntry; View: EntryView }): JSX.Element {
  const { post } = usePage();
  const open = useSignal(false);
  const title = entry.title ?? entry.child.title ?? t('Subagent');
  const isRunning = entry.child.turn.status === 'running';
  return (
    <div class="entry tool" role="group" aria-label={t('Subagent: {0}', title)}>
      <Icon name="robot" class="tool-icon" />
      <div class="tool-row">
        <button
          type="button"
          class="tool-name"
          aria-expanded={open.value}
          title={entry.description ?? title}
          onClick={() => (open.value = !open.value)}
        >
          <bdi class="tool-title">{title}</bdi>
        </button>
        <span class="tool-detail muted">{isRunning ? latest(entry.child.entries) : (entry.description ?? '')}</span>
        {isRunning && entry.canStop && (
          <IconButton
            icon="debug-stop"
            label={t('Stop subagent')}
            onClick={() => post({ type: 'stopSubagent', sessionId: entry.sessionId })}
          />
        )}
        <Status status={subagentStatus(entry)} />
      </div>
      {open.value && (
        <div class="tool-body child">
          {entry.description !== undefined && <bdi class="muted">{entry.description}</bdi>}
          <ChildEntries entries={entry.child.entries} View={View} />
        </div>
      )}
    </div>
  );
}

/** A short description of the newest entry. */
function latest(entries: EntryPages): string {
  const last = lastEntry(entries);
  if (last?.kind === 'tool' || last?.kind === 'subagent') return last.title ?? '';
  return last?.kind === 'thought' ? t('Thinking…') : '';
}

/** Entries of a child are not in the store; each gets a cell here, so that all transcript components can render it. */
function ChildEntries({ entries, View }: { entries: EntryPages; View: EntryView }): JSX.Element {
  const cells = useRef<EntryCell<Entry>[]>([]);
  for (const [index, entry] of entriesFrom(entries)) {
    const cell = (cells.current[index] ??= { value: signal(entry), appended: '' });
    if (cell.value.peek() !== entry) cell.value.value = entry;
  }
  if (entries.count === 0) return <p class="muted">{t('No activity yet')}</p>;
  return (
    <>
      {cells.current.map((cell, index) => (
        <View key={index} cell={cell} />
      ))}
    </>
  );
}
