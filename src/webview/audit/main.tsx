import { render } from 'preact';
import { defined } from '../../base/assert';
import type { AuditHostMessage, AuditPageMessage } from '../../shared/protocol/auditPageProtocol';
import { openHost } from '../page/pageHost';
import { showInvisibleEverywhere } from '../page/showInvisible';
import { AuditApp } from './app';
import { AuditStore } from './auditStore';

showInvisibleEverywhere();
const store = new AuditStore();
const post: (message: AuditPageMessage) => void = openHost<AuditHostMessage>({ records: true }, (message) =>
  store.receive(message),
);
const report = (error: unknown): void => {
  post({ type: 'pageError', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
};
window.addEventListener('error', (event) => report(event.error ?? event.message));
window.addEventListener('unhandledrejection', (event) => report(event.reason));
render(<AuditApp store={store} post={post} />, defined(document.getElementById('root'), 'the element "root"'));
post({ type: 'ready' });
