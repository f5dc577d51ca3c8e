import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { locale, t } from '../../../base/l10n';
import type { Usage, TokenUsage } from '../../../shared/state/usageState';
import { formatCost } from '../../../shared/text/formatCost';
import { useClickOutside } from '../../controls/useClickOutside';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';
import { NEARLY_FULL_SHARE, formatNumber, contextShare } from './usageFormat';

const UsageDetails = lazyComponent(async () => (await import('./contextUsageDetails')).UsageDetails);

const RADIUS_PX = 6;
const CIRCUMFERENCE_PX = 2 * Math.PI * RADIUS_PX;

/** Context usage as a ring, with a number when it is nearly full; opens the details. */
export function ContextUsage(): JSX.Element | null {
  const { store } = usePage();
  const open = useSignal(false);
  const box = useRef<HTMLSpanElement>(null);
  useClickOutside(box, open);
  const usage = store.usage.value;
  const tokens = store.tokens.value;
  if (!usage && !tokens && !store.limits.value) return null;
  const part = contextShare(usage);
  const isFull = part !== undefined && part >= NEARLY_FULL_SHARE;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !open.peek()) return;
    event.stopPropagation();
    open.value = false;
    box.current?.querySelector('button')?.focus();
  };
  return (
    <span class={isFull ? 'usage-box full' : 'usage-box'} ref={box} onKeyDown={onKeyDown}>
      <Ring part={part} description={describeUsage(usage, tokens)} />
      {isFull && (
        <span class="usage-share" aria-hidden="true">
          {percentText(part)}
        </span>
      )}
      <button
        type="button"
        class="usage-open"
        aria-label={t('Context details')}
        aria-haspopup="dialog"
        aria-expanded={open.value}
        title={titleOf(part, describeUsage(usage, tokens))}
        onClick={() => (open.value = !open.value)}
      />
      {open.value && <UsageDetails onClose={() => (open.value = false)} />}
    </span>
  );
}

function Ring({ part, description }: { part: number | undefined; description: string }): JSX.Element {
  const share = percentText(part);
  return (
    <span
      class="usage"
      role="progressbar"
      aria-label={t('Context used')}
      aria-description={description}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={share}
      {...(part === undefined ? {} : { 'aria-valuenow': Math.round(part * 100) })}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle class="usage-all" cx="8" cy="8" r={RADIUS_PX} />
        {part !== undefined && (
          <circle
            class="usage-part"
            cx="8"
            cy="8"
            r={RADIUS_PX}
            stroke-dasharray={`${part * CIRCUMFERENCE_PX} ${CIRCUMFERENCE_PX}`}
            transform="rotate(-90 8 8)"
          />
        )}
      </svg>
    </span>
  );
}

function percentText(part: number | undefined): string {
  return part === undefined ? t('unknown') : t('{0}%', Math.round(part * 100));
}

function titleOf(part: number | undefined, description: string): string {
  const line = t('Context used: {0}. {1}', percentText(part), description);
  return part !== undefined && part >= NEARLY_FULL_SHARE ? `${t('The context is nearly full')}\n${line}` : line;
}

/** "74,000 of 200,000 tokens; cost 0.12 USD; total 1,200 tokens (1,000 in, 200 out)" */
function describeUsage(usage: Usage | undefined, tokens: TokenUsage | undefined): string {
  const count = (value: number): string => formatNumber(value, locale());
  const parts: string[] = [];
  if (usage) {
    const { used, size } = usage;
    parts.push(size > 0 ? t('{0} of {1} tokens', count(used), count(size)) : t('{0} tokens', count(used)));
  }
  if (usage?.cost) parts.push(t('cost {0}', formatCost(usage.cost, locale())));
  if (tokens) {
    const { total, input, output } = tokens;
    parts.push(t('total {0} tokens ({1} in, {2} out)', count(total), count(input), count(output)));
  }
  return parts.join('; ');
}
