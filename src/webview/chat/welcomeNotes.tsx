import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import type { NoAgent } from '../../shared/protocol/chatPageProtocol';
import { Icon, IconButton } from '../controls/icon';
import { usePage } from './pageContext';

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

/** What limits the agents of this chat: the settings, and an untrusted workspace. */
export function AgentNotes(): JSX.Element {
  const { store } = usePage();
  const { trusted, noAgent } = store.environment.value;
  return (
    <>
      {noAgent !== undefined && !store.agent.value && <NoAgentNote noAgent={noAgent} />}
      {!trusted && <UntrustedNote />}
    </>
  );
}

function NoAgentNote({ noAgent }: { readonly noAgent: NoAgent }): JSX.Element {
  const { post } = usePage();
  if (noAgent === 'demo')
    return (
      <p class="muted">{t('No agent is configured. The demo agent, which is scripted, answers your messages.')}</p>
    );
  return (
    <div class="alert" role="alert">
      <p class="alert-message" dir="auto">
        <Icon name="error" />
        <span>{`${noAgent.reason} ${t('Select another agent, or correct the settings.')}`}</span>
      </p>
      <div class="buttons">
        <button type="button" class="button" onClick={() => post({ type: 'openSettings' })}>
          {t('Open Settings')}
        </button>
      </div>
    </div>
  );
}

/** The features that are unavailable in an untrusted workspace, with a button to manage trust. */
function UntrustedNote(): JSX.Element {
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

/** In the header of a chat with messages. */
export function TrustButton(): JSX.Element {
  const { post } = usePage();
  const title = t(
    'This workspace is not trusted. Its configuration is ignored, tool servers are unavailable, and Git checkpoints are off. Click to manage trust.',
  );
  return (
    <IconButton
      icon="workspace-untrusted"
      label={t('Restricted Mode')}
      title={title}
      onClick={() => post({ type: 'manageTrust' })}
    />
  );
}
