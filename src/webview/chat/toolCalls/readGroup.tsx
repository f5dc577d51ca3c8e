import { useComputed } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { Entry } from '../../../shared/state/sessionState';
import { Icon } from '../../controls/icon';
import type { EntryPageCells } from '../chatStore';
import { Status } from './toolCallRow';
import { splitPath } from './toolCallTitle';

/** Names in a row, and lines in its tooltip. */
const MAX_NAMES = 20;

/** The runs of reads in a page of entries. Its parts are drawn again only when a run has changed. */
export function useReadRuns(page: EntryPageCells | undefined): readonly ReadRun[] {
  const last = useRef<readonly ReadRun[]>([]);
  return useComputed(() => {
    const entries = page ? page.cells.slice(0, page.count.value).map(({ value }) => value.value) : [];
    const runs = findReadRuns(entries);
    if (JSON.stringify(runs) !== JSON.stringify(last.current)) last.current = runs;
    return last.current;
  }).value;
}

interface ReadGroupProps {
  readonly entries: readonly Entry[];
  readonly open: boolean;
  readonly onToggle: () => void;
}

/** The single row for consecutive reads. */
export function ReadGroup({ entries, open, onToggle }: ReadGroupProps): JSX.Element {
  const files = readFileLabels(entries).map(escapeInvisibleInline);
  const shown = files.slice(0, MAX_NAMES);
  const title = files.length === 1 ? t('Read 1 file') : t('Read {0} files', files.length);
  return (
    <div class="slot tool-slot">
      <div class="entry tool done" role="group" aria-label={title}>
        <Icon name="files" class="tool-icon" />
        <div class="tool-row">
          <button
            type="button"
            class="tool-name"
            aria-expanded={open}
            title={[title, ...shown].join('\n')}
            onClick={onToggle}
          >
            <bdi class="tool-title">{title}</bdi>
          </button>
          <span class="tool-detail muted">{!open && shown.map((label) => splitPath(label).name).join(', ')}</span>
          <Status status="done" />
        </div>
      </div>
    </div>
  );
}

/** Indexes of entries whose runs the user has unfolded. */
export type UnfoldedReads = Signal<ReadonlySet<number>>;

/** Whether the rows of a run are shown. A row with the focus stays. */
export function isRunOpen({ start, end }: ReadRun, unfolded: ReadonlySet<number>): boolean {
  for (let index = start; index < end; index++) if (unfolded.has(index)) return true;
  const focused = Number(document.activeElement?.closest<HTMLElement>('[data-entry]')?.dataset['entry'] ?? NaN);
  return start <= focused && focused < end;
}

export function toggleRun({ start, end }: ReadRun, open: boolean, unfolded: UnfoldedReads): void {
  const others = [...unfolded.peek()].filter((index) => index < start || index >= end);
  unfolded.value = new Set(open ? others : [...others, start]);
}

/** Finished reads in a row, by their indexes; the end is excluded. */
interface ReadRun {
  readonly start: number;
  readonly end: number;
}

/** Fewer reads are shown one by one. */
const MIN_READS = 3;

/** Runs of read tool calls that are done and show nothing below their row. */
function findReadRuns(entries: readonly Entry[]): ReadRun[] {
  const runs: ReadRun[] = [];
  let start = 0;
  for (let at = 0; at <= entries.length; at++) {
    const entry = entries[at];
    if (entry && isQuietRead(entry)) continue;
    if (at - start >= MIN_READS) runs.push({ start, end: at });
    start = at + 1;
  }
  return runs;
}

function isQuietRead(entry: Entry): boolean {
  if (entry.kind !== 'tool' || entry.tool !== 'read' || entry.status !== 'done' || entry.waiting > 0) return false;
  return entry.content.every(({ type }) => type !== 'diff' && type !== 'terminal');
}

/** The files that the reads of a run name, each once. */
function readFileLabels(entries: readonly Entry[]): string[] {
  const labels = entries.map((entry) => (entry.kind === 'tool' ? (entry.locations[0]?.label ?? entry.title) : ''));
  return [...new Set(labels)];
}
