import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import { usePage } from './pageContext';
import { Icon, IconButton } from '../controls/icon';

/** A line after an update, until the user opens or dismisses the release notes. */
export function WhatsNewNote({ version }: { readonly version: string }): JSX.Element {
  const { post } = usePage();
  return (
    <p class="news" role="note" aria-label={t('Update')}>
      <span>{t('Parley was updated to {0}.', version)}</span>
      <button type="button" class="link-button" onClick={() => post({ type: 'showNews' })}>
        {t('What’s new')}
      </button>
      <IconButton icon="close" label={t('Dismiss')} onClick={() => post({ type: 'dismissNews' })} />
    </p>
  );
}

/** The features that are unavailable in an untrusted workspace, with a button to manage trust. */
export function UntrustedNote(): JSX.Element {
  const { post } = usePage();
  return (
    <p class="untrusted muted">
      <Icon name="workspace-untrusted" />
      <span>
        {t(
          'This workspace is not trusted. You can use your own agents, without tool servers. The workspace configuration is ignored.',
        )}{' '}
        <button type="button" class="link-button" onClick={() => post({ type: 'manageTrust' })}>
          {t('Manage Trust')}
        </button>
      </span>
    </p>
  );
}
