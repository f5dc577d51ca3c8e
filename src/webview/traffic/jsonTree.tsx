import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';

/** Longer strings and lists are cut, with a button for the rest. */
const MAX_TEXT = 2_000;
const MAX_ITEMS = 100;
/** Depth to which a message is expanded initially. */
const OPEN_DEPTH = 3;

/** A JSON value as a tree. Collapsed parts are not rendered. */
export function Json({ value }: { readonly value: unknown }): JSX.Element {
  return (
    <div class="json">
      <Value value={value} depth={0} />
    </div>
  );
}

interface ValueProps {
  readonly name?: string;
  readonly value: unknown;
  readonly depth: number;
}

function Value({ name, value, depth }: ValueProps): JSX.Element {
  if (Array.isArray(value) || isObject(value)) return <Branch name={name ?? ''} value={value} depth={depth} />;
  return (
    <div class="leaf">
      {name !== undefined && <span class="name">{name}: </span>}
      {typeof value === 'string' ? <Text text={value} /> : <span class="scalar">{String(value)}</span>}
    </div>
  );
}

function Branch({ name, value, depth }: Required<ValueProps>): JSX.Element {
  const items = Object.entries(value as object) as [string, unknown][];
  const [open, setOpen] = useState(depth < OPEN_DEPTH);
  const [all, setAll] = useState(false);
  const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const shown = all ? items : items.slice(0, MAX_ITEMS);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== '' && <span class="name">{name}: </span>}
        <span class="muted">{items.length === 0 ? `${before}${after}` : `${before} ${items.length} ${after}`}</span>
      </summary>
      {open && shown.map(([key, item]) => <Value key={key} name={key} value={item} depth={depth + 1} />)}
      {open && shown.length < items.length && (
        <ShowAll count={t('{0} items', items.length)} onClick={() => setAll(true)} />
      )}
    </details>
  );
}

/** A string in JSON syntax; a long one is cut. */
export function Text({ text }: { readonly text: string }): JSX.Element {
  const [all, setAll] = useState(false);
  const isCut = !all && text.length > MAX_TEXT;
  return (
    <>
      <span class="text">{JSON.stringify(isCut ? text.slice(0, MAX_TEXT) : text)}</span>
      {isCut && <ShowAll count={t('{0} characters', text.length)} onClick={() => setAll(true)} />}
    </>
  );
}

function ShowAll({ count, onClick }: { readonly count: string; readonly onClick: () => void }): JSX.Element {
  return (
    <button type="button" class="show-all" onClick={onClick}>
      {t('Show all ({0})', count)}
    </button>
  );
}
