import type { JSX } from 'preact';
import { locale, t } from '../../base/l10n';
import type { ImportInfo } from '../../shared/state/sessionState';
import { Icon } from '../controls/icon';
import { usePage } from './pageContext';

/** Replaces the message box of an imported session: explains why the session is read-only, and how to continue. */
export function ReadOnlyNotice({ mark }: { readonly mark: ImportInfo }): JSX.Element {
  const { post } = usePage();
  const when = mark.exportedAt === undefined ? undefined : new Date(mark.exportedAt).toLocaleString(locale());
  const text =
    when === undefined
      ? t('This session was imported from {0} and is read-only.', mark.file)
      : t('This session was imported from {0} and is read-only. It was exported on {1}.', mark.file, when);
  return (
    <div class="read-only" role="note">
      <Icon name="lock" />
      <p>{text}</p>
      <button type="button" class="button" onClick={() => post({ type: 'continueInNewChat' })}>
        {t('Continue in Another Chat')}
      </button>
    </div>
  );
}
