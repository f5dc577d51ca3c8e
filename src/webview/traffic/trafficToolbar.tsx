import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import type { TrafficPageMessage } from '../../shared/protocol/trafficPageProtocol';
import type { Direction } from '../../shared/traffic/trafficEntries';
import type { TrafficStore } from './trafficStore';

interface ToolbarProps {
  readonly store: TrafficStore;
  readonly post: (message: TrafficPageMessage) => void;
}

/** Selects the connection and filters its messages. */
export function TrafficToolbar({ store, post }: ToolbarProps): JSX.Element {
  return (
    <div class="toolbar" role="toolbar" aria-label={t('Traffic')}>
      <Connection store={store} post={post} />
      <input
        type="search"
        aria-label={t('Filter by text')}
        placeholder={t('Filter')}
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
        {t('Errors only')}
      </label>
      <button type="button" class="button" onClick={() => post({ type: 'save' })}>
        {t('Save Traffic')}
      </button>
    </div>
  );
}

function Connection({ store, post }: ToolbarProps): JSX.Element {
  return (
    <select
      aria-label={t('Connection')}
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
      aria-label={t('Method')}
      value={method ?? ''}
      onChange={({ currentTarget: { value } }) => {
        const { method: _, ...rest } = store.filter.value;
        store.filter.value = value === '' ? rest : { ...rest, method: value };
      }}
    >
      <option value="">{t('All methods')}</option>
      {store.methods.value.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

const DIRECTIONS: readonly (readonly [Direction | '', string])[] = [
  ['', t('Both directions')],
  ['in', t('Received')],
  ['out', t('Sent')],
];

function Directions({ store }: Pick<ToolbarProps, 'store'>): JSX.Element {
  return (
    <select
      aria-label={t('Direction')}
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
