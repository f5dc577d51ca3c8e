import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TrafficRow } from '../../shared/traffic';
import { listMove } from '../listKeys';
import type { TrafficStore } from './store';
import { directionOf, durationOf, nameOf, sizeOf, summaryOf, timeOf } from './words';

/** Height of every row in pixels; media/traffic.css has the same. */
const ROW = 22;
/** Rows rendered above and below what is seen. */
const SPARE = 12;
const COLUMNS = ['Time', 'Direction', 'Method', 'Id', 'Duration', 'Size', 'Summary'] as const;

interface ListProps {
  readonly store: TrafficStore;
  /** Enter on a row: to its content. */
  readonly onEnter: () => void;
}

/** The messages, a row each. Only the rows in sight are in the document, so thousands cost no more than a screenful. */
export function MessageList({ store, onEnter }: ListProps): JSX.Element {
  const rows = store.rows.value;
  const selected = rows.findIndex(({ entry }) => entry.seq === store.selected.value);
  const box = useRef<HTMLDivElement>(null);
  const [from, to] = useWindow(box, rows.length);
  useSelectedInSight(box, selected);
  const choose = (index: number): void => void (store.selected.value = rows[index]?.entry.seq);
  const onKeyDown = (event: KeyboardEvent): void => {
    const moved = rows.length > 0 ? listMove(event.key, selected, rows.length) : undefined;
    const enters = event.key === 'Enter' && selected >= 0;
    if (moved !== undefined) choose(Math.max(0, moved));
    if (enters) onEnter();
    if (enters || moved !== undefined) event.preventDefault();
  };
  const active = selected >= from && selected < to ? rowId(rows[selected]) : undefined;
  return (
    <div
      class="list"
      role="grid"
      aria-label="Messages"
      aria-rowcount={rows.length + 1}
      aria-colcount={COLUMNS.length}
      aria-activedescendant={active}
      tabIndex={0}
      ref={box}
      onKeyDown={onKeyDown}
    >
      <Header />
      <div class="space" role="rowgroup" style={{ height: `${rows.length * ROW}px` }}>
        {rows.slice(from, to).map((row, at) => {
          const index = from + at;
          return (
            <Row key={row.entry.seq} {...{ row, index }} selected={index === selected} onClick={() => choose(index)} />
          );
        })}
      </div>
    </div>
  );
}

function Header(): JSX.Element {
  return (
    <div class="row head" role="row" aria-rowindex={1}>
      {COLUMNS.map((name) => (
        <span key={name} class={`cell ${name.toLowerCase()}`} role="columnheader">
          {name}
        </span>
      ))}
    </div>
  );
}

interface RowProps {
  readonly row: TrafficRow;
  readonly index: number;
  readonly selected: boolean;
  readonly onClick: () => void;
}

function Row({ row, index, selected, onClick }: RowProps): JSX.Element {
  const { entry, id, duration, error } = row;
  const failed = error !== undefined;
  const classes = ['row', row.kind, selected && 'selected', failed && 'failed'].filter(Boolean).join(' ');
  const cells = [
    ['time', timeOf(entry.at)],
    ['direction', directionOf(row)],
    ['method', nameOf(row)],
    ['id', id ?? ''],
    ['duration', durationOf(duration)],
    ['size', sizeOf(entry.bytes)],
    ['summary', failed ? `Error: ${summaryOf(row)}` : summaryOf(row)],
  ] as const;
  return (
    <div
      id={rowId(row)}
      class={classes}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      style={{ top: `${index * ROW}px` }}
      onClick={onClick}
    >
      {cells.map(([name, text]) => (
        <span key={name} class={`cell ${name}`} role="gridcell">
          {text}
        </span>
      ))}
    </div>
  );
}

function rowId(row: TrafficRow | undefined): string | undefined {
  return row && `message-${row.entry.seq}`;
}

/** The rows to render. While the end is in sight, it stays there when rows are added. */
function useWindow(box: RefObject<HTMLDivElement | null>, count: number): readonly [number, number] {
  const [view, setView] = useState({ top: 0, height: 600 });
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => {
      const { scrollTop: top, clientHeight: height, scrollHeight } = element;
      atEnd.current = top + height >= scrollHeight - ROW;
      setView((known) => (known.top === top && known.height === height ? known : { top, height }));
    };
    const resized = new ResizeObserver(look);
    resized.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [box]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [box, count]);
  const from = Math.max(0, Math.min(Math.floor(view.top / ROW), count) - SPARE);
  return [from, Math.min(count, Math.ceil((view.top + view.height) / ROW) + SPARE)];
}

function useSelectedInSight(box: RefObject<HTMLDivElement | null>, selected: number): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || selected < 0) return;
    // The header sticks to the top and covers as much as one row.
    const top = selected * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + 2 * ROW;
    if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  }, [box, selected]);
}
