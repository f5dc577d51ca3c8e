import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { Icon } from '../../controls/icon';
import { usePage } from '../pageContext';
import { sendKeyLabels, stopKeyLabel } from './stopKeys';

/** The context of the button's menu, for the `when` clauses of package.json. */
const SEND_MENU = JSON.stringify({ webviewSection: 'send', preventDefaultContextMenuItems: true });

interface SendButtonProps {
  readonly running: boolean;
  readonly sendable: boolean;
  readonly onClick: () => void;
}

export function SendButton({ running, sendable, onClick }: SendButtonProps): JSX.Element {
  const { store } = usePage();
  const [key, nowKey] = sendKeyLabels(store.environment.value);
  const waits = t('Send after this turn ({0}) or immediately ({1})', key, nowKey);
  return (
    <button
      type="button"
      class={running ? 'round' : 'round primary'}
      aria-label={t('Send')}
      aria-disabled={!sendable}
      title={running ? waits : t('Send ({0})', key)}
      data-vscode-context={SEND_MENU}
      onClick={onClick}
    >
      <Icon name="send" />
    </button>
  );
}

/** Stop, and Force Stop where the agent does not end the turn. */
export function StopButtons(): JSX.Element {
  const { store, post, events } = usePage();
  const turn = store.turn.value;
  const isOverdue = turn.status === 'running' && turn.overdue === true;
  const isStopping = turn.status === 'running' && turn.stopping === true;
  const stop = (): void => {
    if (isStopping) return;
    post({ type: 'stop' });
    // The button disappears at the end of the turn and would lose the focus.
    events.focusComposer.fire();
  };
  return (
    <>
      {isOverdue && (
        <button
          type="button"
          class="button danger"
          title={t('Ends the agent process and restarts it')}
          onClick={() => post({ type: 'forceStop' })}
        >
          {t('Force Stop')}
        </button>
      )}
      <button
        type="button"
        class="round primary"
        aria-label={t('Stop')}
        aria-disabled={isStopping}
        title={isStopping ? t('Stop requested') : t('Stop ({0})', stopKeyLabel(store.environment.value.mac))}
        onClick={stop}
      >
        <Icon name="debug-stop" />
      </button>
    </>
  );
}
