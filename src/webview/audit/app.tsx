import type { JSX, RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { locale, t } from '../../base/l10n';
import { capitalize } from '../../base/text';
import { CLOCK } from '../../base/timestamps';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { AuditPageMessage, AuditRow } from '../../shared/protocol/auditPageProtocol';
import { deciderName } from '../../shared/protocol/auditPageProtocol';
import { VirtualGrid } from '../controls/virtualGrid';
import { Json } from '../traffic/jsonTree';
import type { AuditStore, NumberedRow } from './auditStore';
import { AuditToolbar } from './auditToolbar';

const COLUMNS = [
  { id: 'time', name: t('Time') },
  { id: 'decision', name: t('Decision') },
  { id: 'by', name: t('By') },
  { id: 'agent', name: t('Agent') },
  { id: 'request', name: t('Request') },
  { id: 'reason', name: t('Reason') },
] as const;

interface AppProps {
  readonly store: AuditStore;
  readonly post: (message: AuditPageMessage) => void;
}

export function AuditApp({ store, post }: AppProps): JSX.Element {
  const detail = useRef<HTMLElement>(null);
  const rows = store.rows.value;
  const chosen = store.selectedRow.value;
  return (
    <main class="traffic audit" aria-label={t('Audit log')}>
      <h1 class="hidden-text">{t('Audit log')}</h1>
      <AuditToolbar store={store} post={post} />
      <p class="count muted" role="status">
        {countText(store)}
      </p>
      <VirtualGrid
        label={t('Decisions')}
        columns={COLUMNS}
        rows={rows}
        idOf={({ number }) => `decision-${number}`}
        classOf={({ row }) => row.decision}
        cellsOf={cellsOf}
        selected={rows.findIndex(({ number }) => number === store.selected.value)}
        onSelect={(index) => (store.selected.value = rows[index]?.number)}
        onEnter={() => detail.current?.focus()}
      />
      {chosen && <Detail key={chosen.number} row={chosen.row} post={post} element={detail} />}
    </main>
  );
}

function countText({ rows, total, loaded }: AuditStore): string {
  if (!loaded.value) return t('Loading the audit log…');
  const all = total.value;
  if (all === 0) return t('No decisions yet.');
  const count = rows.value.length === all ? `${all}` : t('{0} of {1}', rows.value.length, all);
  return all === 1
    ? t('{0} decision. Known secrets are redacted.', count)
    : t('{0} decisions. Known secrets are redacted.', count);
}

function cellsOf({ row }: NumberedRow): readonly string[] {
  return [
    timeText(row.time),
    DECISIONS[row.decision] ?? row.decision,
    deciderName(row.by),
    escapeInvisibleInline(row.agent),
    escapeInvisibleInline(requestOf(row)),
    capitalize(escapeInvisibleInline(row.reason ?? '')),
  ];
}

const DECISIONS: Readonly<Record<string, string>> = {
  allowed: t('Allowed'),
  denied: t('Rejected'),
  canceled: t('Canceled'),
};

function requestOf({ title, command, tool, paths }: AuditRow): string {
  return command ?? tool ?? (title === '' ? (paths?.join(', ') ?? '') : title);
}

/** `21 Nov 14:03:07`, in local time. */
function timeText(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const day = at.toLocaleDateString(locale(), { day: '2-digit', month: 'short' });
  return `${day} ${at.toLocaleTimeString(locale(), { ...CLOCK, second: '2-digit' })}`;
}

interface DetailProps {
  readonly row: AuditRow;
  readonly post: AppProps['post'];
  readonly element: RefObject<HTMLElement | null>;
}

function Detail({ row, post, element }: DetailProps): JSX.Element {
  return (
    <section class="detail" aria-label={t('Decision')} tabIndex={-1} ref={element}>
      <header>
        <h2>{escapeInvisibleInline(row.title)}</h2>
        <span class="muted">{t('{0} after {1} ms', DECISIONS[row.decision] ?? row.decision, row.ms)}</span>
        <Times row={row} />
        <button
          type="button"
          class="button"
          onClick={() => post({ type: 'copy', text: JSON.stringify(row, undefined, 2) })}
        >
          {t('Copy')}
        </button>
      </header>
      <Json value={row} />
    </section>
  );
}

/** Durations of a tool call, if the record has them. */
function Times({ row: { toolMs, transportMs } }: Pick<DetailProps, 'row'>): JSX.Element | undefined {
  if (toolMs === undefined) return undefined;
  const text =
    transportMs === undefined
      ? t('The tool took {0} ms', toolMs)
      : t('The tool took {0} ms, transport took {1} ms', toolMs, transportMs);
  return <span class="muted">{text}</span>;
}
