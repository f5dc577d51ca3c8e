import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { connectionText } from '../../shared/text/statusText';
import { usePage } from './pageContext';
import { lazyComponent } from '../controls/lazyComponent';
import { Alert } from './transcript/messages';

const SignIn = lazyComponent(async () => (await import('./signInCard')).SignInCard);

/** Shows an agent that failed to start or has exited, unless the transcript's last entry does. */
export function ConnectionAlert(): JSX.Element | null {
  const { store } = usePage();
  const connection = store.connection.value;
  const said = useComputed(() => {
    const last = store.entryCount.value > 0 ? store.entry(store.entryCount.value - 1)?.value.value : undefined;
    return last?.kind === 'error' && last.remedies.includes('restart');
  }).value;
  if (connection.status === 'signIn') return <SignIn state={connection} />;
  if (said) return null;
  if (connection.status !== 'failed' && connection.status !== 'exited') return null;
  const message = connection.status === 'failed' ? connection.message : connectionText(store.agent.value, connection);
  return <Alert message={message} detail={connection.detail} remedies={['restart', 'showLog']} />;
}
