import { signal } from '@preact/signals';
import { render } from 'preact';
import { defined } from '../../base/assert';
import type { Race, RaceHostMessage, RacePageMessage } from '../../shared/protocol/racePageProtocol';
import { openHost } from '../page/pageHost';
import { showInvisibleEverywhere } from '../page/showInvisible';
import { RaceBoard } from './app';

showInvisibleEverywhere();
/** Undefined until the host has sent them. */
const races = signal<readonly Race[] | undefined>(undefined);
const post: (message: RacePageMessage) => void = openHost<RaceHostMessage>({ races: true }, (message) => {
  races.value = message.races;
});
const report = (error: unknown): void => {
  post({ type: 'pageError', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
};
window.addEventListener('error', (event) => report(event.error ?? event.message));
window.addEventListener('unhandledrejection', (event) => report(event.reason));
render(<RaceBoard races={races} post={post} />, defined(document.getElementById('root'), 'the element "root"'));
post({ type: 'ready' });
