import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { Elapsed } from '../../controls/elapsed';
import { Icon } from '../../controls/icon';
import { usePage } from '../pageContext';

/**
 * The activity of the running turn, in one line at the end of the conversation. It is always rendered, so that nothing moves when a turn
 * starts or ends, and stays in sight when the user scrolls up.
 */
export function TurnStatus(): JSX.Element {
  const { store } = usePage();
  const isRunning = store.turn.value.status === 'running';
  return (
    <div class="turn-line" {...(isRunning && { role: 'status', 'aria-live': 'off' })}>
      {isRunning && <Activity />}
    </div>
  );
}

function Activity(): JSX.Element | null {
  const { store, events } = usePage();
  const turn = store.turn.value;
  const question = store.request.value;
  if (turn.status !== 'running') return null;
  if (turn.stopping) {
    return (
      <>
        {turn.overdue ? <Icon name="warning" /> : <Icon name="loading" class="spin" />}
        <span>{turn.overdue ? t('The agent has not stopped') : t('Stopping…')}</span>
      </>
    );
  }
  if (question !== undefined) {
    return (
      <button type="button" class="turn-waiting" onClick={() => events.reveal.fire({ entry: question })}>
        <Icon name="shield" />
        {t('Waiting for you')}
      </button>
    );
  }
  return (
    <>
      <Icon name="loading" class="spin" />
      <span>{t('Working…')}</span> <Elapsed since={turn.startedAt} />
    </>
  );
}
