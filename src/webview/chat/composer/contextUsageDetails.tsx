import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { locale, t } from '../../../base/l10n';
import type { Budget } from '../../../base/settings';
import { entriesFrom } from '../../../shared/state/entryPages';
import type { SessionState } from '../../../shared/state/sessionState';
import type { Usage, UsageLimit, TokenUsage } from '../../../shared/state/usageState';
import { formatCost } from '../../../shared/text/formatCost';
import { usePage } from '../pageContext';
import { limitText } from './limitText';
import { NEARLY_FULL_SHARE, formatNumber, contextShare } from './usageFormat';

/** The command of several agents for compaction. */
const COMPACT = 'compact';

/** Usage of the session; unreported values have no row. */
export function UsageDetails({ onClose }: { onClose: () => void }): JSX.Element {
  const { store } = usePage();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const usage = store.usage.value;
  const share = contextShare(usage);
  const { budget } = store.environment.value;
  const hasBudget = (budget?.session ?? budget?.day) !== undefined;
  const rows = [
    ...contextRows(usage),
    ...budgetRows(budget, usage),
    ...tokenRows(store.tokens.value),
    ...compactionRows(store.state),
  ];
  return (
    <div class="popup usage-details" role="dialog" aria-label={t('Context used')} tabIndex={-1} ref={box}>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {hasBudget && !usage?.cost && (
        <p class="muted">{t('The agent reports no cost. The budget does not apply to this session.')}</p>
      )}
      <Limits limits={store.limits.value ?? []} />
      {share !== undefined && share >= NEARLY_FULL_SHARE && (
        <p class="usage-warning">{t('The context is nearly full. Compact it, or continue in a new chat.')}</p>
      )}
      <CompactButton onClose={onClose} />
    </div>
  );
}

/** Windows that have been reset meanwhile are left out. */
function Limits({ limits }: { limits: readonly UsageLimit[] }): JSX.Element | null {
  const lines = limits.flatMap((limit) => limitText(limit, Date.now(), locale()) ?? []);
  if (lines.length === 0) return null;
  return (
    <ul class="usage-limits" aria-label={t('Limits')}>
      {lines.map((line) => (
        <li key={line} dir="auto">
          {line}
        </li>
      ))}
    </ul>
  );
}

function CompactButton({ onClose }: { onClose: () => void }): JSX.Element | null {
  const { store, post, events } = usePage();
  if (!store.commands.value.some(({ name }) => name === COMPACT)) return null;
  const compact = (): void => {
    post({ type: 'send', text: `/${COMPACT}` });
    onClose();
    events.focusComposer.fire();
  };
  return (
    <button type="button" class="button small" onClick={compact}>
      {t('Compact')}
    </button>
  );
}

type Row = readonly [name: string, value: string];

function contextRows(usage: Usage | undefined): Row[] {
  if (!usage) return [];
  const { used, size, cost } = usage;
  const count = (value: number): string => formatNumber(value, locale());
  const share = contextShare(usage);
  const context =
    share === undefined
      ? t('{0} tokens', count(used))
      : t('{0} of {1} tokens ({2}%)', count(used), count(size), Math.round(share * 100));
  return [[t('Context'), context], ...(cost ? [[t('Cost'), formatCost(cost, locale())] as const] : [])];
}

/** Only for an agent that reports cost: the amounts are in its currency. */
function budgetRows(budget: Budget | undefined, usage: Usage | undefined): Row[] {
  const { currency } = usage?.cost ?? {};
  if (!budget || currency === undefined) return [];
  const rows: [string, number | undefined][] = [
    [t('Session budget'), budget.session],
    [t('Daily budget'), budget.day],
  ];
  return rows.flatMap(([name, amount]): Row[] =>
    amount === undefined ? [] : [[name, formatCost({ amount, currency }, locale())]],
  );
}

function tokenRows(tokens: TokenUsage | undefined): Row[] {
  if (!tokens) return [];
  const { total, input, output, cachedRead, cachedWrite, thought } = tokens;
  const all: [string, number | undefined][] = [
    [t('Input tokens'), input],
    [t('Output tokens'), output],
    [t('Read from cache'), cachedRead],
    [t('Written to cache'), cachedWrite],
    [t('Thinking tokens'), thought],
    [t('Total tokens'), total],
  ];
  return all.flatMap(([name, value]): Row[] => (value === undefined ? [] : [[name, formatNumber(value, locale())]]));
}

function compactionRows(state: SessionState | undefined): Row[] {
  if (!state) return [];
  let done = 0;
  for (const [, entry] of entriesFrom(state.entries)) {
    if (entry.kind === 'compaction' && entry.status === 'completed') done++;
  }
  return done === 0 ? [] : [[t('Compacted'), done === 1 ? t('once') : t('{0} times', done)]];
}
