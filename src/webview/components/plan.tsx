import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { PlanItem } from '../../shared/state';
import { usePage } from './context';
import { Icon } from './icon';

const WORDS = { pending: 'pending', in_progress: 'in progress', completed: 'completed' } as const;
const ICONS = { pending: 'circle-large-outline', in_progress: 'circle-filled', completed: 'pass-filled' } as const;

/** The agent's plan: one bar with the step it is at; the steps open upward, and can always be read by a screen reader. */
export function Plan(): JSX.Element | null {
  const { store } = usePage();
  const open = useSignal(false);
  const items = store.plan.value;
  if (items.length === 0) return null;
  const { text, step, completed } = progressOf(items);
  return (
    <section class="bar-box plan" role="region" aria-label="Plan">
      <ul class={open.value ? 'plan-items' : 'hidden-text'}>
        {items.map((item, index) => (
          <li key={index} aria-label={`${item.content}: ${WORDS[item.status] ?? item.status}`} class={item.status}>
            <Icon name={ICONS[item.status] ?? ICONS.pending} />
            <bdi>{item.content}</bdi>
          </li>
        ))}
      </ul>
      <button type="button" class="bar" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name="checklist" />
        <bdi class="bar-text">{text}</bdi>
        <span class="bar-count">{`${step} of ${items.length}`}</span>
        <progress value={completed} max={items.length} aria-hidden="true" />
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
    : { text: 'Plan completed', step: completed, completed };
}
