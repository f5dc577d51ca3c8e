import type { JSX } from 'preact';
import type { Direction } from '../../shared/traffic';
import type { TrafficPageMessage } from '../../shared/trafficMessages';
import type { TrafficStore } from './store';

interface ToolbarProps {
  readonly store: TrafficStore;
  readonly post: (message: TrafficPageMessage) => void;
}

/** Which connection, and which of its messages. */
export function Toolbar({ store, post }: ToolbarProps): JSX.Element {
  return (
    <div class="toolbar" role="toolbar" aria-label="Traffic">
      <Connection store={store} post={post} />
      <input
        type="search"
        aria-label="Filter by text"
        placeholder="Filter"
        value={store.filter.value.text}
        onInput={(event) => store.narrow({ text: event.currentTarget.value })}
      />
      <Method store={store} />
      <Directions store={store} />
      <label class="check">
        <input
          type="checkbox"
          checked={store.filter.value.errorsOnly}
          onChange={(event) => store.narrow({ errorsOnly: event.currentTarget.checked })}
        />
        Errors only
      </label>
      <button type="button" class="button" onClick={() => post({ type: 'save' })}>
        Save Traffic
      </button>
    </div>
  );
}

function Connection({ store, post }: ToolbarProps): JSX.Element {
  return (
    <select
      aria-label="Connection"
      value={store.shown.value}
      onChange={(event) => post({ type: 'choose', id: Number(event.currentTarget.value) })}
    >
      {store.connections.value.map(({ id, title, status }) => (
        <option key={id} value={id}>
          {`${title}: ${status}`}
        </option>
      ))}
    </select>
  );
}

function Method({ store }: Pick<ToolbarProps, 'store'>): JSX.Element {
  const { method } = store.filter.value;
  return (
    <select
      aria-label="Method"
      value={method ?? ''}
      onChange={({ currentTarget: { value } }) => {
        const { method: _, ...rest } = store.filter.value;
        store.filter.value = value === '' ? rest : { ...rest, method: value };
      }}
    >
      <option value="">All methods</option>
      {store.methods.value.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

const DIRECTIONS: readonly (readonly [Direction | '', string])[] = [
  ['', 'Both directions'],
  ['in', 'From agent'],
  ['out', 'To agent'],
];

function Directions({ store }: Pick<ToolbarProps, 'store'>): JSX.Element {
  return (
    <select
      aria-label="Direction"
      value={store.filter.value.dir ?? ''}
      onChange={({ currentTarget: { value } }) => {
        const { dir: _, ...rest } = store.filter.value;
        store.filter.value = value === 'in' || value === 'out' ? { ...rest, dir: value } : rest;
      }}
    >
      {DIRECTIONS.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
