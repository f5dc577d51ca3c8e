import type { JSX } from 'preact';
import { locale, t } from '../../base/l10n';
import type { Usage } from '../../shared/state';
import type { Tokens } from '../../shared/updates';
import { usePage } from './context';

const RADIUS = 6;
const ROUND = 2 * Math.PI * RADIUS;

/** How much of the model's context is used, as a ring. */
export function UsageRing(): JSX.Element | null {
  const { store } = usePage();
  const usage = store.usage.value;
  const tokens = store.tokens.value;
  if (!usage && !tokens) return null;
  const part = usage && usage.size > 0 ? Math.min(1, usage.used / usage.size) : undefined;
  const description = describeUsage(usage, tokens);
  const percent = part === undefined ? undefined : Math.round(part * 100);
  const share = percent === undefined ? t('not known') : t('{0} %', percent);
  return (
    <span
      class={part !== undefined && part >= 0.9 ? 'usage full' : 'usage'}
      role="progressbar"
      aria-label={t('Context used')}
      aria-description={description}
      title={t('Context used: {0}. {1}', share, description)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={share}
      {...(percent === undefined ? {} : { 'aria-valuenow': percent })}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle class="usage-all" cx="8" cy="8" r={RADIUS} />
        {part !== undefined && (
          <circle
            class="usage-part"
            cx="8"
            cy="8"
            r={RADIUS}
            stroke-dasharray={`${part * ROUND} ${ROUND}`}
            transform="rotate(-90 8 8)"
          />
        )}
      </svg>
    </span>
  );
}

/** "74,000 of 200,000 tokens; cost 0.12 USD; total 1,200 tokens (1,000 in, 200 out)" */
export function describeUsage(usage: Usage | undefined, tokens: Tokens | undefined): string {
  const number = (value: number): string => value.toLocaleString(locale());
  const parts: string[] = [];
  if (usage) {
    const { used, size } = usage;
    parts.push(size > 0 ? t('{0} of {1} tokens', number(used), number(size)) : t('{0} tokens', number(used)));
  }
  if (usage?.cost) parts.push(t('cost {0}', money(usage.cost)));
  if (tokens) {
    parts.push(
      t('total {0} tokens ({1} in, {2} out)', number(tokens.total), number(tokens.input), number(tokens.output)),
    );
  }
  return parts.join('; ');
}

function money({ amount, currency }: NonNullable<Usage['cost']>): string {
  const digits = Math.abs(amount) < 1 ? 4 : 2;
  return `${amount.toLocaleString(locale(), { minimumFractionDigits: 2, maximumFractionDigits: digits })} ${currency}`;
}
