import { render } from 'preact';
import { defined } from '../../base/assert';
import type { TrafficHostMessage, TrafficPageMessage } from '../../shared/protocol/trafficPageProtocol';
import { openHost } from '../page/pageHost';
import { showInvisibleEverywhere } from '../page/showInvisible';
import { TrafficApp } from './app';
import { TrafficStore } from './trafficStore';

showInvisibleEverywhere();
const store = new TrafficStore();
const post: (message: TrafficPageMessage) => void = openHost<TrafficHostMessage>(
  { connections: true, entries: true },
  (message) => store.receive(message),
);
const report = (error: unknown): void => {
  post({ type: 'pageError', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
};
window.addEventListener('error', (event) => report(event.error ?? event.message));
window.addEventListener('unhandledrejection', (event) => report(event.reason));
render(<TrafficApp store={store} post={post} />, defined(document.getElementById('root'), 'the element "root"'));
post({ type: 'ready' });
