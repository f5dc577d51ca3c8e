import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import type { TrafficRow } from '../../shared/traffic/trafficEntries';
import { VirtualGrid } from '../controls/virtualGrid';
import type { TrafficStore } from './trafficStore';
import { directionOf, durationOf, methodLabel, sizeOf, rowSummary, timeOf } from './trafficText';

const COLUMNS = [
  { id: 'time', name: t('Time') },
  { id: 'direction', name: t('Direction') },
  { id: 'method', name: t('Method') },
  { id: 'id', name: t('ID') },
  { id: 'duration', name: t('Duration') },
  { id: 'size', name: t('Size') },
  { id: 'summary', name: t('Summary') },
] as const;

interface ListProps {
  readonly store: TrafficStore;
  /** Enter on a row: moves to its content. */
  readonly onEnter: () => void;
}

/** The messages, one row each. */
export function MessageList({ store, onEnter }: ListProps): JSX.Element {
  const rows = store.rows.value;
  return (
    <VirtualGrid
      label={t('Messages')}
      columns={COLUMNS}
      rows={rows}
      idOf={({ entry }) => `message-${entry.seq}`}
      classOf={({ kind, error }) => (error === undefined ? kind : `${kind} failed`)}
      cellsOf={cellsOf}
      longest={longestSummary(rows)}
      selected={rows.findIndex(({ entry }) => entry.seq === store.selected.value)}
      onSelect={(index) => (store.selected.value = rows[index]?.entry.seq)}
      onEnter={onEnter}
    />
  );
}

function cellsOf(row: TrafficRow): readonly string[] {
  const { entry, id, duration } = row;
  return [
    timeOf(entry.at),
    directionOf(row),
    methodLabel(row),
    id ?? '',
    durationOf(duration),
    sizeOf(entry.bytes),
    summaryCell(row),
  ];
}

function summaryCell(row: TrafficRow): string {
  return row.error === undefined ? rowSummary(row) : t('Error: {0}', rowSummary(row));
}

/** Lengths of summaries: each row is measured once. */
const lengths = new WeakMap<TrafficRow, number>();

function longestSummary(rows: readonly TrafficRow[]): number {
  let longest = 0;
  for (const row of rows) {
    const length = lengths.get(row) ?? summaryCell(row).length;
    lengths.set(row, length);
    longest = Math.max(longest, length);
  }
  return longest;
}
