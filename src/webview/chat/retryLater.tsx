import type { JSX } from 'preact';
import { locale, t } from '../../base/l10n';
import { resetTime } from './composer/limitText';
import { usePage } from './pageContext';

/**
 * "Retry at 14:30" for a turn that failed because of a limit, and "Cancel" once it was selected.
 * @param props.entry index of the error
 */
export function RetryLater({ entry, retryAt }: { entry: number; retryAt: number }): JSX.Element | null {
  const { store, post } = usePage();
  const scheduled = store.retryAt.value;
  const now = Date.now();
  if (scheduled !== undefined) {
    return (
      <span class="retry-later">
        <span role="status">{t('Retrying at {0}', resetTime(scheduled, now, locale()))}</span>
        <button type="button" class="button" onClick={() => post({ type: 'cancelRetry' })}>
          {t('Cancel')}
        </button>
      </span>
    );
  }
  // After the reset, "Retry" is enough.
  if (retryAt <= now) return null;
  return (
    <button type="button" class="button" onClick={() => post({ type: 'retryLater', entry })}>
      {t('Retry at {0}', resetTime(retryAt, now, locale()))}
    </button>
  );
}
