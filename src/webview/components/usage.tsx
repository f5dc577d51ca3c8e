import type { JSX } from 'preact';
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
  return (
    <span
      class={part !== undefined && part >= 0.9 ? 'usage full' : 'usage'}
      role="progressbar"
      aria-label="Context used"
      aria-description={description}
      title={`Context used: ${percent === undefined ? 'not known' : `${percent} %`}. ${description}`}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent === undefined
        ? { 'aria-valuetext': 'not known' }
        : { 'aria-valuenow': percent, 'aria-valuetext': `${percent} %` })}
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
  const number = (value: number): string => value.toLocaleString('en-US');
  const parts: string[] = [];
  if (usage) parts.push(`${number(usage.used)}${usage.size > 0 ? ` of ${number(usage.size)}` : ''} tokens`);
  if (usage?.cost) parts.push(`cost ${money(usage.cost)}`);
  if (tokens) {
    parts.push(`total ${number(tokens.total)} tokens (${number(tokens.input)} in, ${number(tokens.output)} out)`);
  }
  return parts.join('; ');
}

function money({ amount, currency }: NonNullable<Usage['cost']>): string {
  const digits = Math.abs(amount) < 1 ? 4 : 2;
  return `${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: digits })} ${currency}`;
}
