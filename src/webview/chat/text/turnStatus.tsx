import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { Elapsed } from '../../controls/elapsed';
import { Icon } from '../../controls/icon';
import { usePage } from '../pageContext';

/** The activity of the running turn, in one muted line beside the buttons. */
export function TurnStatus(): JSX.Element {
  const { store, events } = usePage();
  const turn = store.turn.value;
  const question = store.request.value;
  if (turn.status !== 'running') return <span class="turn-line" />;
  if (turn.stopping) {
    const text = turn.overdue ? t('The agent has not stopped') : t('Stopping…');
    return (
      <span class="turn-line muted" title={text}>
        {turn.overdue ? <Icon name="warning" /> : <Icon name="loading" class="spin" />}
        <span class="clip">{text}</span>
      </span>
    );
  }
  if (question !== undefined) {
    return (
      <button
        type="button"
        class="turn-line waiting"
        title={t('Waiting for you')}
        onClick={() => events.reveal.fire({ entry: question })}
      >
        <Icon name="shield" />
        <span class="clip">{t('Waiting for you')}</span>
      </button>
    );
  }
  return (
    <span class="turn-line muted">
      <Icon name="loading" class="spin" />
      <span class="clip">{t('Working')}</span> <Elapsed since={turn.startedAt} />
    </span>
  );
}
