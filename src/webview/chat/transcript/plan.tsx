import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { decodePercent } from '../../../base/text';
import type { NamedPlan, PlanItem } from '../../../shared/state/planState';
import { Icon } from '../../controls/icon';
import { usePage } from '../pageContext';
import { Markdown } from '../text/markdownText';

const WORDS = { pending: t('pending'), in_progress: t('in progress'), completed: t('completed') } as const;
const ICONS = { pending: 'circle-large-outline', in_progress: 'circle-filled', completed: 'pass-filled' } as const;

/** The agent's plans, one bar for each. */
export function Plan(): JSX.Element {
  const { store } = usePage();
  const items = store.plan.value;
  const unnamed: NamedPlan[] = items.length > 0 ? [{ planId: '', kind: 'items', items }] : [];
  const plans = [...unnamed, ...store.plans.value];
  return (
    <>
      {plans.map((plan, index) => {
        const label = index === 0 ? t('Plan') : t('Plan {0}', index + 1);
        if (plan.kind === 'items') return <Steps key={plan.planId} label={label} items={plan.items} />;
        if (plan.kind === 'file') return <PlanFile key={plan.planId} label={label} uri={plan.uri} />;
        return <PlanText key={plan.planId} label={label} text={plan.text} />;
      })}
    </>
  );
}

/** One bar with the current step; the steps expand upwards and are always available to screen readers. */
function Steps({ label, items }: { label: string; items: readonly PlanItem[] }): JSX.Element | null {
  const open = useSignal(false);
  const { text, step, completed } = progressOf(items);
  const isFinished = completed === items.length;
  useEffect(() => {
    if (isFinished) open.value = false;
  }, [isFinished, open]);
  if (items.length === 0) return null;
  return (
    <section class="bar-box plan" role="region" aria-label={label}>
      <ul class={open.value ? 'dock-list plan-items' : 'hidden-text'}>
        {items.map((item, index) => (
          <li key={index} aria-label={`${item.content}: ${WORDS[item.status]}`} class={item.status}>
            <Icon name={ICONS[item.status]} />
            <bdi>{item.content}</bdi>
          </li>
        ))}
      </ul>
      <button type="button" class="bar" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name="checklist" />
        <bdi class="bar-text">{text}</bdi>
        <span class="bar-count">{t('{0} of {1}', step, items.length)}</span>
        <progress value={completed} max={items.length} aria-hidden="true" />
        <Icon name={open.value ? 'chevron-down' : 'chevron-up'} />
      </button>
    </section>
  );
}

function PlanFile({ label, uri }: { label: string; uri: string }): JSX.Element {
  return (
    <section class="bar-box plan" role="region" aria-label={label}>
      <button type="button" class="bar" data-href={uri} title={uri}>
        <Icon name="checklist" />
        <bdi class="bar-text">{decodePercent(uri.replace(/^.*\//, '')) || uri}</bdi>
        <Icon name="go-to-file" />
      </button>
    </section>
  );
}

/** A plan as text: its first line in the bar, the whole text above. */
function PlanText({ label, text }: { label: string; text: string }): JSX.Element {
  const open = useSignal(false);
  const first = text.split('\n').find((line) => /\S/.test(line)) ?? label;
  return (
    <section class="bar-box plan" role="region" aria-label={label}>
      {open.value && (
        <div class="dock-list plan-text">
          <Markdown text={text} />
        </div>
      )}
      <button type="button" class="bar" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name="checklist" />
        <bdi class="bar-text">{first.replace(/^[#>*\s-]+/, '')}</bdi>
        <Icon name={open.value ? 'chevron-down' : 'chevron-up'} />
      </button>
    </section>
  );
}

function progressOf(items: readonly PlanItem[]): { text: string; step: number; completed: number } {
  const completed = items.filter((item) => item.status === 'completed').length;
  const running = items.findIndex((item) => item.status === 'in_progress');
  const at = running >= 0 ? running : items.findIndex((item) => item.status !== 'completed');
  const current = items[at];
  return current
    ? { text: current.content, step: at + 1, completed }
    : { text: t('Plan completed'), step: completed, completed };
}
