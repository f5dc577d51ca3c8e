import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { nextListIndex } from './listNavigation';

/** Row height in pixels, equal to that in media/tables.css. */
const ROW_HEIGHT_PX = 22;
/** Rows rendered above and below the visible ones. */
const SPARE_ROWS = 12;

interface Column {
  /** Class of the column's cells. */
  readonly id: string;
  /** Text of the header. */
  readonly name: string;
}

interface GridProps<T> {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly T[];
  /** Unique and valid as an element id. */
  readonly idOf: (row: T) => string;
  /** Classes of the row besides `row` and `selected`. */
  readonly classOf: (row: T) => string;
  /** One text per column. */
  readonly cellsOf: (row: T) => readonly string[];
  /** Characters in the longest text of the last column, which gets this width. If undefined, the last column gets the rest of the width. */
  readonly longest?: number;
  /** Index of the selected row; negative when there is none. */
  readonly selected: number;
  readonly onSelect: (index: number) => void;
  /** Enter on a row: moves to its content. */
  readonly onEnter: () => void;
}

/** A list of equal rows. Only visible rows are in the DOM, so that thousands cost as much as a screenful. */
export function VirtualGrid<T>(props: GridProps<T>): JSX.Element {
  const { label, columns, rows, selected, onSelect, onEnter } = props;
  const box = useRef<HTMLDivElement>(null);
  const [from, to] = useWindow(box, rows.length);
  useSelectedInSight(box, selected);
  const onKeyDown = (event: KeyboardEvent): void => {
    const moved = rows.length > 0 ? nextListIndex(event.key, selected, rows.length) : undefined;
    const isEnter = event.key === 'Enter' && selected >= 0;
    if (moved !== undefined) onSelect(Math.max(0, moved));
    if (isEnter) onEnter();
    if (isEnter || moved !== undefined) event.preventDefault();
  };
  const chosen = selected >= from && selected < to ? rows[selected] : undefined;
  return (
    <div
      class="list"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={chosen === undefined ? undefined : props.idOf(chosen)}
      style={props.longest === undefined ? {} : { '--longest': `${props.longest}ch` }}
      tabIndex={0}
      ref={box}
      onKeyDown={onKeyDown}
    >
      <Header columns={columns} />
      <div class="space" role="rowgroup" style={{ height: `${rows.length * ROW_HEIGHT_PX}px` }}>
        {rows.slice(from, to).map((row, at) => (
          <Row key={props.idOf(row)} {...props} row={row} index={from + at} />
        ))}
      </div>
    </div>
  );
}

function Header({ columns }: { readonly columns: readonly Column[] }): JSX.Element {
  return (
    <div class="row head" role="row" aria-rowindex={1}>
      {columns.map(({ id, name }) => (
        <span key={id} class={`cell ${id}`} role="columnheader">
          {name}
        </span>
      ))}
    </div>
  );
}

function Row<T>(props: GridProps<T> & { readonly row: T; readonly index: number }): JSX.Element {
  const { columns, row, index } = props;
  const isSelected = index === props.selected;
  const cells = props.cellsOf(row);
  return (
    <div
      id={props.idOf(row)}
      class={['row', props.classOf(row), isSelected && 'selected'].filter(Boolean).join(' ')}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ top: `${index * ROW_HEIGHT_PX}px` }}
      onClick={() => props.onSelect(index)}
    >
      {columns.map(({ id }, at) => (
        <span key={id} class={`cell ${id}`} role="gridcell">
          {cells[at]}
        </span>
      ))}
    </div>
  );
}

/** The rows to render. While the end is visible, it stays visible when rows are added. */
function useWindow(box: RefObject<HTMLDivElement | null>, count: number): readonly [number, number] {
  const [view, setView] = useState({ top: 0, height: 600 });
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = (): void => {
      const { scrollTop: top, clientHeight: height, scrollHeight } = element;
      atEnd.current = top + height >= scrollHeight - ROW_HEIGHT_PX;
      setView((before) => (before.top === top && before.height === height ? before : { top, height }));
    };
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [box]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [box, count]);
  const from = Math.max(0, Math.min(Math.floor(view.top / ROW_HEIGHT_PX), count) - SPARE_ROWS);
  return [from, Math.min(count, Math.ceil((view.top + view.height) / ROW_HEIGHT_PX) + SPARE_ROWS)];
}

function useSelectedInSight(box: RefObject<HTMLDivElement | null>, selected: number): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || selected < 0) return;
    // The sticky header covers one row.
    const top = selected * ROW_HEIGHT_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + 2 * ROW_HEIGHT_PX;
    if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  }, [box, selected]);
}
