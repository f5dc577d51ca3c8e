import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { FollowStatus } from '../../shared/protocol/chatPageProtocol';
import { connectionText } from '../../shared/text/statusText';
import { IconButton } from '../controls/icon';
import { lazyComponent } from './lazyComponent';
import { usePage } from './pageContext';

export function Header(): JSX.Element {
  const { store, location } = usePage();
  const agent = store.agent.value;
  const connection = store.connection.value;
  const text = connectionText(agent, connection);
  const preset = store.preset.value?.name;
  // The dot shows "Claude: ready"; the text is for screen readers only.
  const isQuiet = agent !== undefined && (connection.status === 'ready' || connection.status === 'idle');
  return (
    <header class={`header ${location}`} inert={store.isProvisional.value}>
      <span class={`dot ${agent ? connection.status : 'idle'}`} aria-hidden="true" />
      <span
        class="agent-name"
        role="status"
        aria-label={t('Agent')}
        aria-live="off"
        title={preset ? escapeInvisibleInline(`${text} · ${preset}`) : text}
      >
        {isQuiet ? agent.title : text}
        {isQuiet && <span class="hidden-text">{text.slice(agent.title.length)}</span>}
      </span>
      <Title />
      <Trust />
      <ToolsButton />
      <FollowButton />
    </header>
  );
}

/** A heading for screen readers, also for a session without a title. */
function Title(): JSX.Element {
  const title = escapeInvisibleInline(usePage().store.title.value ?? '');
  return (
    <h1 class="session-title" title={title}>
      {title ? <bdi>{title}</bdi> : <span class="hidden-text">{t('New chat')}</span>}
    </h1>
  );
}

const TrustButton = lazyComponent(async () => (await import('./welcomeNotes')).TrustButton);

/** Without entries the welcome page shows a missing workspace trust itself. */
function Trust(): JSX.Element | null {
  const { store } = usePage();
  return store.environment.value.trusted || store.entryCount.value === 0 ? null : <TrustButton />;
}

function ToolsButton(): JSX.Element {
  const { open } = usePage().store.tools;
  return (
    <IconButton icon="tools" label={t('Tools')} expanded={open.value} onClick={() => (open.value = !open.value)} />
  );
}

const FOLLOW: Readonly<Record<FollowStatus, { readonly icon: string; readonly title: string }>> = {
  following: { icon: 'eye', title: t('The editor follows the agent') },
  paused: {
    icon: 'debug-pause',
    title: t('Following is paused because you moved the cursor or scrolled. Click to resume.'),
  },
  off: { icon: 'eye-closed', title: t('Follow the agent in the editor') },
};

function FollowButton(): JSX.Element | null {
  const { store, post } = usePage();
  const { follow } = store.environment.value;
  if (follow === undefined) return null;
  const isPressed = follow === 'following';
  return (
    <span class={`follow ${follow}`}>
      <IconButton
        {...FOLLOW[follow]}
        label={t('Follow')}
        pressed={isPressed}
        onClick={() => post({ type: 'toggleFollow' })}
      />
    </span>
  );
}
