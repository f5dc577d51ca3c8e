import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { t } from '../../base/l10n';
import { connectionText } from '../../shared/text/statusText';
import { Announcer } from './announcer';
import { Header } from './chatHeader';
import { Composer } from './composer/composer';
import { ErrorBoundary } from './errorBoundary';
import { lazyComponent } from './lazyComponent';
import { Page, usePage } from './pageContext';
import type { PageContext } from './pageContext';
import { Alert } from './transcript/messages';
import { Transcript } from './transcript/transcript';

/** Loaded after the start, before the first file changes or a message waits. */
const ActionNotice = lazyComponent(async () => (await import('./actionNotice')).ActionNotice, 'soon');
const Changes = lazyComponent(async () => (await import('./panels/changesPanel')).ChangesPanel, 'soon');
const Plan = lazyComponent(async () => (await import('./transcript/plan')).Plan, 'soon');
const QueuedMessages = lazyComponent(async () => (await import('./composer/queuedMessages')).QueuedMessages, 'soon');
const RacePanel = lazyComponent(async () => (await import('./panels/racePanel')).RacePanel);
const ReadOnlyNotice = lazyComponent(async () => (await import('./readOnlyNotice')).ReadOnlyNotice);
const ToolsPanel = lazyComponent(async () => (await import('./panels/toolsPanel')).ToolsPanel);

export function ChatApp({ page }: { page: PageContext }): JSX.Element {
  return (
    <Page.Provider value={page}>
      <ErrorBoundary what={t('The chat')}>
        <ChatLayout page={page} />
      </ErrorBoundary>
    </Page.Provider>
  );
}

/** Placeholder lines of the conversation, as in the document before this script ran. */
function Opening(): JSX.Element {
  return (
    <div class="opening">
      <p class="hidden-text">{t('Opening the conversation…')}</p>
      <div class="line-to-come" />
      <div class="line-to-come" />
      <div class="line-to-come" />
    </div>
  );
}

function ChatLayout({ page }: { page: PageContext }): JSX.Element {
  const { store } = page;
  const epoch = store.epoch.value;
  // User actions name the session on the screen, not the one about to be drawn.
  useLayoutEffect(() => page.onDidShow(store.state?.id), [page, store, epoch]);
  if (epoch === undefined) return <Opening />;
  return (
    <div class="app" data-vscode-context={JSON.stringify({ session: store.state?.id })}>
      <Header />
      <main class="stage">
        <div class="stage-chat" inert={store.tools.open.value}>
          <ErrorBoundary what={t('The conversation')} key={epoch}>
            <Transcript />
          </ErrorBoundary>
          <div class="dock">
            <ErrorBoundary what={t('The agent')}>
              <ConnectionAlert />
            </ErrorBoundary>
            <DockPanels page={page} epoch={epoch} />
            <ActionNotice />
            {store.imported.value ? <ReadOnlyNotice mark={store.imported.value} /> : <Composer />}
          </div>
        </div>
        <ErrorBoundary what={t('The tools')}>{store.tools.open.value && <ToolsPanel />}</ErrorBoundary>
      </main>
      <Announcer />
    </div>
  );
}

/** The panels above the message box, which share a third of the height. */
function DockPanels({ page, epoch }: { page: PageContext; epoch: number }): JSX.Element {
  return (
    <div class="dock-panels" inert={page.store.isProvisional.value}>
      <ErrorBoundary what={t('The plan')}>
        <Plan />
      </ErrorBoundary>
      <ErrorBoundary what={t('The changes')}>
        {page.store.branch.value !== undefined && <RacePanel key={epoch} />}
        <Changes />
      </ErrorBoundary>
      <ErrorBoundary what={t('The queue')}>
        <QueuedMessages />
      </ErrorBoundary>
    </div>
  );
}

const SignIn = lazyComponent(async () => (await import('./signInCard')).SignInCard);

/** Shows an agent that failed to start or has exited, unless the transcript's last entry does. */
function ConnectionAlert(): JSX.Element | null {
  const { store } = usePage();
  const connection = store.connection.value;
  const isReported = useComputed(() => {
    const last = store.entryCount.value > 0 ? store.entry(store.entryCount.value - 1)?.value.value : undefined;
    return last?.kind === 'error' && last.remedies.includes('restart');
  }).value;
  if (connection.status === 'signIn') return <SignIn state={connection} />;
  if (isReported) return null;
  if (connection.status !== 'failed' && connection.status !== 'exited') return null;
  const message = connection.status === 'failed' ? connection.message : connectionText(store.agent.value, connection);
  return <Alert message={message} detail={connection.detail} remedies={['restart', 'showLog']} />;
}
