import type { ReadonlySignal } from '@preact/signals';
import { effect, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { DisposableStore } from '../../../base/lifecycle';
import { escapeInvisible, escapeInvisibleInline } from '../../../base/untrustedText';
import type { BackgroundWorkItem } from '../../../shared/state/backgroundWork';
import { backgroundWork } from '../../../shared/state/backgroundWork';
import { Elapsed } from '../../controls/elapsed';
import { Icon, IconButton } from '../../controls/icon';
import { usePage } from '../pageContext';

const ICONS = { command: 'terminal', subagent: 'robot', task: 'gear' } as const;

/** Commands, subagents and tasks that run outside the turn, above the message box. */
export function BackgroundPanel(): JSX.Element | null {
  const work = useBackgroundWork();
  if (work.value.length === 0) return null;
  return (
    <section class="bar-box queue" aria-label={t('Background work')}>
      <div class="queue-bar">
        <Icon name="server-process" />
        <span class="queue-text">{t('Running in the background')}</span>
      </div>
      <ul class="dock-list queued" aria-label={t('Background work')}>
        {work.value.map((item) => (
          <Item key={item.key} item={item} />
        ))}
      </ul>
    </section>
  );
}

/** Changes only with its content: most actions change nothing here. */
function useBackgroundWork(): ReadonlySignal<readonly BackgroundWorkItem[]> {
  const { store } = usePage();
  const work = useSignal<readonly BackgroundWorkItem[]>([]);
  useLayoutEffect(() => {
    const update = (): void => {
      const next = store.state ? backgroundWork(store.state) : [];
      if (JSON.stringify(next) !== JSON.stringify(work.peek())) work.value = next;
    };
    const owned = new DisposableStore();
    owned.add(store.onApplied(update));
    // A snapshot applies no actions, but always has a new turn.
    owned.defer(
      effect(() => {
        if (store.turn.value) update();
      }),
    );
    return () => owned.dispose();
  }, [store, work]);
  return work;
}

function Item({ item }: { item: BackgroundWorkItem }): JSX.Element {
  const { kind, title, startedAt } = item;
  const name = title.trim() === '' ? defaultName(kind) : title;
  return (
    <li class="queued-item">
      <Icon name={ICONS[kind]} />
      <bdi class="queued-text" title={escapeInvisible(name)}>
        {escapeInvisibleInline(name)}
      </bdi>
      {startedAt !== undefined && (
        <span class="muted">
          <Elapsed since={startedAt} />
        </span>
      )}
      <Stop item={item} />
    </li>
  );
}

function Stop({ item: { stop } }: { item: BackgroundWorkItem }): JSX.Element {
  const { store, post } = usePage();
  if (!stop) {
    const agent = store.agent.value?.title ?? t('The agent');
    return (
      <span class="queued-count muted" title={t('{0} does not support stopping this task.', agent)}>
        {t('Cannot be stopped')}
      </span>
    );
  }
  const isCommand = 'terminalId' in stop;
  return (
    <IconButton
      icon="debug-stop"
      label={isCommand ? t('Stop command') : t('Stop subagent')}
      onClick={() => post(isCommand ? { type: 'stopCommand', ...stop } : { type: 'stopSubagent', ...stop })}
    />
  );
}

function defaultName(kind: BackgroundWorkItem['kind']): string {
  if (kind === 'command') return t('Command');
  return kind === 'subagent' ? t('Subagent') : t('Task');
}
