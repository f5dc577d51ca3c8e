import type { JSX, RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { t } from '../../base/l10n';
import type { TrafficPageMessage } from '../../shared/protocol/trafficPageProtocol';
import type { TrafficRow } from '../../shared/traffic/trafficEntries';
import { entryText } from '../../shared/traffic/trafficEntries';
import { Json, Text } from './jsonTree';
import { MessageList } from './messageList';
import type { TrafficStore } from './trafficStore';
import { directionOf, durationOf, methodLabel, sizeOf } from './trafficText';
import { TrafficToolbar } from './trafficToolbar';

interface AppProps {
  readonly store: TrafficStore;
  readonly post: (message: TrafficPageMessage) => void;
}

/** The traffic inspector: a toolbar, the messages, and the selected one. */
export function TrafficApp({ store, post }: AppProps): JSX.Element {
  const detail = useRef<HTMLElement>(null);
  const row = store.selectedRow.value;
  return (
    <main class="traffic" aria-label={t('Traffic')}>
      <h1 class="hidden-text">{t('Traffic')}</h1>
      <TrafficToolbar store={store} post={post} />
      <p class="count muted" role="status">
        {countText(store)}
      </p>
      <MessageList store={store} onEnter={() => detail.current?.focus()} />
      {row && <Detail key={row.entry.seq} row={row} post={post} element={detail} />}
    </main>
  );
}

function countText({ rows, total, recording, shown }: TrafficStore): string {
  if (shown.value === undefined) return t('No agent has been started in this window yet.');
  const all = total.value;
  const count = rows.value.length === all ? `${all}` : t('{0} of {1}', rows.value.length, all);
  const counted = all === 1 ? t('{0} message.', count) : t('{0} messages.', count);
  return recording.value ? counted : `${counted} ${t('Recording is off (parley.traffic.record).')}`;
}

interface DetailProps {
  readonly row: TrafficRow;
  readonly post: AppProps['post'];
  readonly element: RefObject<HTMLElement | null>;
}

function Detail({ row, post, element }: DetailProps): JSX.Element {
  const { entry, error } = row;
  const facts = [directionOf(row), row.kind, sizeOf(entry.bytes), durationOf(row.duration)].filter(
    (fact) => fact !== '',
  );
  return (
    <section class="detail" aria-label={t('Message')} tabIndex={-1} ref={element}>
      <header>
        <h2>{methodLabel(row)}</h2>
        <span class="muted">{facts.join(', ')}</span>
        <button type="button" class="button" onClick={() => post({ type: 'copy', text: clipboardText(row) })}>
          {t('Copy Message')}
        </button>
      </header>
      {error !== undefined && <p class="error">{t('Error: {0}', error)}</p>}
      {'message' in entry ? <Json value={entry.message} /> : <Text text={entryText(entry)} />}
    </section>
  );
}

function clipboardText({ entry }: TrafficRow): string {
  return 'message' in entry ? JSON.stringify(entry.message, undefined, 2) : entryText(entry);
}
